import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';

interface NewBackupProps {
  readonly instance: string;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Makes a backup of an instance. */
export function NewBackup({ instance, onClose, onMade }: NewBackupProps) {
  const [label, setLabel] = useState('');
  const [description, setDescription] = useState('');
  const make = async () => {
    const path = at`instances/${instance}/backups/full/`;
    await send({ method: 'POST', path, body: { label, description } });
    onMade();
  };
  return (
    <Dialog title="Back up now" onClose={onClose}>
      <Form verb="Make the backup" onSend={make} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField label="Label" value={label} onValue={setLabel} error={errors.label} />
            <DescriptionField
              value={description}
              onValue={setDescription}
              error={errors.description}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
