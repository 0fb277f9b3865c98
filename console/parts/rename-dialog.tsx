import { useState } from 'preact/hooks';
import { below, type RequestPath } from '../../shared/values/text/request-path.ts';
import { send } from '../core/api.ts';
import { notify } from '../core/notices.ts';
import { navigate } from '../core/router.ts';
import { Dialog } from './dialog.tsx';
import { Form, TextField } from './form.tsx';

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
  const [newName, setNewName] = useState(name);
  const rename = async () => {
    const body = { new_name: newName };
    const request = { method: 'POST', path: below(path)`rename/`, body } as const;
    const renamed = await send<{ readonly name: string }>(request);
    notify(`The ${thing} is named ${renamed.name} now.`);
    navigate(below(list)`/${renamed.name}`);
  };
  return (
    <Dialog title={`Rename the ${thing}`} onClose={onClose}>
      <Form verb="Rename" onSend={rename} onCancel={onClose}>
        {(errors) => (
          <TextField
            label="New name"
            hint="Requests with the old name get 404 from then on."
            value={newName}
            onValue={setNewName}
            error={errors.new_name}
            input={{ required: true, autocomplete: 'off', spellcheck: false }}
          />
        )}
      </Form>
    </Dialog>
  );
}
