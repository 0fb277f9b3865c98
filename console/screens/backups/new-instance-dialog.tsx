import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { ApiProblem, send } from '../../core/api.ts';
import { toApiProblem } from '../../core/load.ts';
import { nameHints } from '../../core/name-hints.ts';
import { notify } from '../../core/notices.ts';
import { navigate } from '../../core/router.ts';
import { session } from '../../core/session.ts';
import { FormDialog } from '../../parts/draft-form.tsx';
import { nameInput, TextField } from '../../parts/form.tsx';
import type { InstanceRecord } from '../operation/operation-data.ts';
import { type Backup, backupTitle } from './backup-data.ts';
import { OtherInstance } from './restore-dialog.tsx';

interface NewInstanceDialogProps {
  readonly backup: Backup;
  readonly onClose: () => void;
}

/** Creates an instance with the contents of a backup. */
export function NewInstanceDialog({ backup, onClose }: NewInstanceDialogProps) {
  const [made, setMade] = useState<string>(); // an instance whose restore did not begin
  const run = async ({ name }: { readonly name: string }) => {
    const instance = made ?? (await create(name));
    setMade(instance);
    await restore(instance, backup);
    notify(`${instance} is created. Its contents are there when the restore finishes.`);
    navigate(at`/i/${instance}/backups`);
  };
  return (
    <FormDialog
      title={`Restore ${backupTitle(backup)} into a new instance`}
      start={{ name: '' }}
      verb={made === undefined ? 'Create and restore' : 'Restore again'}
      onSend={run}
      onClose={onClose}
    >
      {({ values, text }) => (
        <>
          <TextField
            label="Name of the new instance"
            hint={nameHints.instance}
            input={{ ...nameInput, readOnly: made !== undefined }}
            {...text('name')}
            value={made ?? values.name}
          />
          <p>The instance is created and gets the contents of the backup:</p>
          <OtherInstance owner={session.value?.email ?? ''} />
          <p>API keys, admins, configuration and metadata are not in a backup: make them again.</p>
        </>
      )}
    </FormDialog>
  );
}

async function create(name: string): Promise<string> {
  const body = { name };
  return (await send<InstanceRecord>({ method: 'POST', path: at`instances/`, body })).name;
}

/** Begins a restore; an error says that the instance is there already. */
async function restore(instance: string, { id }: Backup): Promise<void> {
  try {
    await send({ method: 'POST', path: at`instances/${instance}/restores/`, body: { backup: id } });
  } catch (error) {
    const { status, message } = toApiProblem(error);
    throw new ApiProblem(
      status,
      `${instance} is created, but its restore did not begin: ${message}`,
    );
  }
}
