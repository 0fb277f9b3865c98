import { below, type RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from '../core/api.ts';
import { notify } from '../core/notices.ts';
import { navigate } from '../core/router.ts';
import { FormDialog } from './draft-form.tsx';
import { nameInput, TextField } from './form.tsx';

interface RenameDialogProps {
  /** What is renamed, in words: `template`. */
  readonly thing: string;
  /** Path of the record in the interface. */
  readonly path: RequestPath;
  /** Place of its list in the console. */
  readonly list: RequestPath;
  readonly name: string;
  readonly onClose: () => void;
}

/** Renames a record whose name is part of its address, and opens it under the new one. */
export function RenameDialog({ thing, path, list, name, onClose }: RenameDialogProps) {
  const rename = async (body: object) => {
    const request = { method: 'POST', path: below(path)`rename/`, body } as const;
    const renamed = await send<{ readonly name: string }>(request);
    notify(`Renamed to ${renamed.name}.`);
    navigate(below(list)`/${renamed.name}`);
  };
  return (
    <FormDialog
      title={`Rename ${thing}`}
      start={{ new_name: name }}
      verb="Rename"
      onSend={rename}
      onClose={onClose}
    >
      {({ text }) => (
        <TextField
          label="New name"
          hint="Requests with the old name fail (404)."
          input={nameInput}
          {...text('new_name')}
        />
      )}
    </FormDialog>
  );
}
