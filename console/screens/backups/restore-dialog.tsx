import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { formatMinute } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { AgreeForm, Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/form.tsx';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import type { InstanceRecord } from '../operation/operation-data.ts';
import { accountBackups, type Backup, backupTitle } from './backup-data.ts';

interface RestoreDialogProps {
  readonly instance: string;
  /** Id of the backup that is chosen at first; absent: the newest one of another instance. */
  readonly first: number | undefined;
  readonly onClose: () => void;
  readonly onBegun: () => void;
}

/** Replaces the contents of an instance by a backup of it or of another one, if the user types its name. */
export function RestoreDialog({ instance, ...props }: RestoreDialogProps) {
  const target = useLoad(async () => {
    const record = await send<InstanceRecord>({ method: 'GET', path: at`instances/${instance}/` });
    const all = await readAll<Backup>(accountBackups);
    return { record, choices: sorted(restorable(all), record.name) };
  }, [instance]);
  return (
    <Dialog title={`Restore a backup into ${instance}`} onClose={props.onClose}>
      <LoadedData of={target}>
        {({ record, choices }) =>
          choices.length === 0 ? (
            <Empty>
              <p>You have no backup yet.</p>
            </Empty>
          ) : (
            <RestoreForm {...props} record={record} choices={choices} />
          )
        }
      </LoadedData>
    </Dialog>
  );
}

interface RestoreFormProps extends Omit<RestoreDialogProps, 'instance'> {
  readonly record: InstanceRecord;
  readonly choices: readonly Backup[];
}

function RestoreForm({ record, choices, first, onClose, onBegun }: RestoreFormProps) {
  const { name } = record;
  const isOther = ({ instance }: Backup) => instance !== name;
  const start = first ?? (choices.find(isOther) ?? choices[0])?.id;
  const [chosen, setChosen] = useState(String(start));
  const backup = choices.find(({ id }) => String(id) === chosen);
  const restore = async () => {
    onClose();
    const path = at`instances/${name}/restores/`;
    await send({ method: 'POST', path, body: { backup: Number(chosen) } });
    notify('The restore has begun. Requests see the old contents until it finishes.');
    onBegun();
  };
  return (
    <AgreeForm
      verb="Replace the contents"
      name={name}
      onAgree={() => attempt(restore)}
      onCancel={onClose}
    >
      <SelectField
        label="Backup"
        value={chosen}
        onValue={setChosen}
        options={choices.map((each) => [String(each.id), describe(each, name)])}
      />
      {backup !== undefined && <Consequences record={record} backup={backup} />}
    </AgreeForm>
  );
}

/** Returns the backups that a restore accepts. */
function restorable(backups: readonly Backup[]): readonly Backup[] {
  return backups.filter(({ status }) => status === 'success');
}

/** Sorts backups: those of an instance before others, each part with the newest first. */
function sorted(backups: readonly Backup[], name: string): readonly Backup[] {
  const newest = [...backups].reverse();
  const isOwn = ({ instance }: Backup) => instance === name;
  return [...newest.filter(isOwn), ...newest.filter((each) => !isOwn(each))];
}

function describe(backup: Backup, name: string): string {
  const { instance, created_at } = backup;
  const source = instance === name ? '' : `${instance ?? 'deleted instance'}: `;
  return `${source}${backupTitle(backup)}, ${formatMinute(created_at)}`;
}

interface ConsequencesProps {
  readonly record: InstanceRecord;
  readonly backup: Backup;
}

function Consequences({ record: { name, owner }, backup }: ConsequencesProps) {
  const isOther = backup.instance !== name;
  return (
    <>
      <p>
        Classes, objects, files, users and code of {name} are replaced by the contents of{' '}
        {formatMinute(backup.created_at)}; its script runs and messages are deleted. This cannot be
        undone: back up the current contents first. API keys, admins and configuration stay.
      </p>
      {isOther && (
        <>
          <p>
            This is a backup of{' '}
            {backup.instance === null ? 'a deleted instance' : `the instance ${backup.instance}`}.
            User keys and public links that {name} has now end.
          </p>
          <OtherInstance owner={owner.email} />
        </>
      )}
    </>
  );
}

/** What differs in another instance than that of the backup. */
export function OtherInstance({ owner }: { readonly owner: string }) {
  return (
    <ul>
      <li>Users keep their ids and passwords, and get new user keys: they log in again.</li>
      <li>Script endpoints get new public links: read them from the endpoints.</li>
      <li>
        Push credentials and aliases of API keys come along only if the instance of the backup
        belonged to {owner} too. If not, set them again.
      </li>
    </ul>
  );
}
