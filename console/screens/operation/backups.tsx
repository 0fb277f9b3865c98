import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { type Loading, useLoad, useRepeat } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import type { ScreenProps } from '../../core/router.ts';
import { DescriptionField } from '../../parts/description-field.tsx';
import { confirm, Dialog } from '../../parts/dialog.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { Backup, Restore } from './operation-data.ts';
import { sizeText } from './size-text.ts';

const activeStates = ['scheduled', 'running', 'uploading'];
const lookMs = 2_000;

/** Backups and restores of an instance. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const backups = useLoad(
    () => readAll<Backup>(at`instances/${instance}/backups/full/`),
    [instance],
  );
  const restores = useLoad(() => readAll<Restore>(at`instances/${instance}/restores/`), [instance]);
  useRepeat(backups.reload, lookMs, isActive(backups));
  useRepeat(restores.reload, lookMs, isActive(restores));
  const add = (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      Back up now
    </button>
  );
  return (
    <Page
      title="Backups"
      about="A copy of classes, objects, files, users, code and channels. Traces, messages, admins and API keys are not in it."
      actions={add}
    >
      <Loaded of={backups}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>There is no backup of yours yet. Each account sees its own.</p>
            </Empty>
          ) : (
            <Table
              caption="Backups"
              rows={[...all].reverse()}
              keyOf={({ id }) => id}
              columns={columnsOf(instance, { backups, restores })}
            />
          )
        }
      </Loaded>
      <h2>Restores</h2>
      <Loaded of={restores}>
        {(all) =>
          all.length === 0 ? (
            <p class="soft">None.</p>
          ) : (
            <Table
              caption="Restores"
              rows={[...all].reverse()}
              keyOf={({ id }) => id}
              columns={restoreColumns}
            />
          )
        }
      </Loaded>
      {isAdding && (
        <NewBackup
          instance={instance}
          onClose={() => setAdding(false)}
          onMade={() => {
            setAdding(false);
            backups.reload();
          }}
        />
      )}
    </Page>
  );
}

function isActive({
  data = [],
}: Pick<Loading<readonly { readonly status: string }[]>, 'data'>): boolean {
  return data.some(({ status }) => activeStates.includes(status));
}

const restoreColumns = [
  { name: 'Started', cell: ({ created_at }: Restore) => <Time value={created_at} /> },
  { name: 'Of backup', cell: ({ backup }: Restore) => backup },
  { name: 'Status', cell: State },
];

interface Lists {
  readonly backups: Loading<Backup[]>;
  readonly restores: Loading<Restore[]>;
}

function columnsOf(instance: string, { backups, restores }: Lists) {
  const restore = async ({ id, created_at }: Backup) => {
    const isSure = await confirm({
      title: 'Restore this backup',
      text: `Everything that ${instance} holds now is replaced by its contents of ${new Date(created_at).toLocaleString('en')}. Traces and messages are gone afterwards. This cannot be undone: make a backup of the current contents first.`,
      verb: 'Replace the contents',
      name: instance,
    });
    if (!isSure) return;
    await send({ method: 'POST', path: at`instances/${instance}/restores/`, body: { backup: id } });
    notify('The restore has begun. Requests see the contents of before until its end.');
    restores.reload();
  };
  const remove = async ({ id, label }: Backup) => {
    const title = 'Delete this backup';
    const text = `The copy ${label === '' ? id : label} is gone then.`;
    if (!(await confirm({ title, text, verb: 'Delete the backup' }))) return;
    await send({ method: 'DELETE', path: at`instances/${instance}/backups/full/${id}/` });
    backups.reload();
  };
  return [
    { name: 'Label', cell: ({ label, id }: Backup) => (label === '' ? `Backup ${id}` : label) },
    { name: 'Made', cell: ({ created_at }: Backup) => <Time value={created_at} /> },
    { name: 'Status', cell: State },
    { name: 'Size', isNumber: true, cell: ({ size }: Backup) => sizeText(size) },
    { name: 'Contents', cell: Contents },
    {
      name: 'Actions',
      isActions: true,
      cell: (backup: Backup) => (
        <div class="actions">
          <button
            type="button"
            class="small"
            disabled={backup.status !== 'success'}
            onClick={() => attempt(() => restore(backup))}
          >
            Restore…
          </button>
          <button
            type="button"
            class="small danger"
            disabled={activeStates.includes(backup.status)}
            onClick={() => attempt(() => remove(backup))}
          >
            Delete…
          </button>
        </div>
      ),
    },
  ];
}

function State({ status, status_info }: Pick<Backup, 'status' | 'status_info'>) {
  const isBad = status === 'error' || status === 'aborted';
  return (
    <>
      <span class={`badge ${isBad ? 'bad' : status === 'success' ? 'good' : ''}`}>{status}</span>{' '}
      {status_info}
    </>
  );
}

function Contents({ details }: Backup) {
  const kinds = Object.entries(details).filter(([, { count }]) => count > 0);
  return (
    <>{kinds.map(([kind, { count }]) => `${kind.replaceAll('_', ' ')}: ${count}`).join(', ')}</>
  );
}

interface NewBackupProps {
  readonly instance: string;
  readonly onClose: () => void;
  readonly onMade: () => void;
}

function NewBackup({ instance, onClose, onMade }: NewBackupProps) {
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
            <DescriptionField value={description} onValue={setDescription} errors={errors} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
