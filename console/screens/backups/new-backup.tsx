import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { TextField } from '../../parts/form.tsx';

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
    <Dialog title="Back up now" onClose={onClose}>
      <DraftForm
        start={{ label: '', description: '' }}
        verb="Make the backup"
        onSend={make}
        onCancel={onClose}
      >
        {({ text }) => (
          <>
            <TextField label="Label" {...text('label')} />
            <DescriptionField {...text('description')} />
          </>
        )}
      </DraftForm>
    </Dialog>
  );
}
