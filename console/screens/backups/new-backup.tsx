import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { FormDialog } from '../../parts/draft-form.tsx';
import { DescriptionField, TextField } from '../../parts/form.tsx';

interface NewBackupProps {
  readonly instance: string;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Makes a backup of an instance. */
export function NewBackup({ instance, onClose, onMade }: NewBackupProps) {
  const make = async (body: object) => {
    await send({ method: 'POST', path: at`instances/${instance}/backups/full/`, body });
    onMade();
  };
  return (
    <FormDialog
      title="Back up now"
      start={{ label: '', description: '' }}
      verb="Make the backup"
      onSend={make}
      onClose={onClose}
    >
      {({ text }) => (
        <>
          <TextField label="Label" {...text('label')} />
          <DescriptionField {...text('description')} />
        </>
      )}
    </FormDialog>
  );
}
