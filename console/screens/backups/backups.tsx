import { useEffect, useState } from 'preact/hooks';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { noteChangedClasses } from '../../core/class-names.ts';
import { publicValue, useDeployment } from '../../core/deployment.ts';
import { formatSize } from '../../core/format.ts';
import { type Loading, useRepeat } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/draft-form.tsx';
import { Facts } from '../../parts/facts.tsx';
import { DescriptionField, TextField } from '../../parts/form.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { BackupStatusText, backupActions, backupColumns, titleColumn } from './backup-columns.tsx';
import { type Backup, isAnyActive, lookMs, type Restore, useNewestFirst } from './backup-data.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** Backups and restores of an instance. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const [restoring, setRestoring] = useState<{ readonly first?: number }>();
  const path = at`instances/${instance}/backups/full/`;
  const backups = useNewestFirst<Backup>(path);
  const restores = useNewestFirst<Restore>(at`instances/${instance}/restores/`);
  useRepeat(backups.reload, lookMs, isAnyActive(backups));
  const isRestoring = isAnyActive(restores);
  useRepeat(restores.reload, lookMs, isRestoring);
  useEffect(() => {
    if (!isRestoring) noteChangedClasses();
  }, [isRestoring]);
  return (
    <ScreenFrame
      title="Backups"
      about="A backup has classes, objects, files, users, code and channels. It has no script runs, messages, admins, API keys or configuration."
      actions={
        <>
          {restores.data !== undefined && (
            <Button onAct={() => setRestoring({})} text="Restore another backup…" />
          )}
          <NewBackup path={path} onMade={backups.reload} />
        </>
      }
    >
      <LoadedTable
        of={backups}
        caption="Backups"
        keyOf={({ id }) => id}
        columns={[
          titleColumn,
          ...backupColumns,
          backupActions({
            restore: 'Restore…',
            onRestore: ({ id }) => setRestoring({ first: id }),
            onDeleted: backups.reload,
          }),
        ]}
        empty={noBackup}
      />
      <Rules instance={instance} />
      <RestoreList of={restores} />
      {restoring !== undefined && (
        <RestoreDialog
          instance={instance}
          first={restoring.first}
          onClose={() => setRestoring(undefined)}
          onBegun={restores.reload}
        />
      )}
    </ScreenFrame>
  );
}

interface NewBackupProps {
  readonly path: RequestPath;
  readonly onMade: () => void;
}

function NewBackup({ path, onMade }: NewBackupProps) {
  const [isOpen, setOpen] = useState(false);
  const sends = { method: 'POST', path } as const;
  const create = async (body: object) => {
    await send({ ...sends, body });
    setOpen(false);
    onMade();
  };
  return (
    <>
      <Button class="main" sends={sends} onAct={() => setOpen(true)} text="Back up now" />
      {isOpen && (
        <FormDialog
          title="Back up now"
          start={{ label: '', description: '' }}
          verb="Create"
          onSend={create}
          onClose={() => setOpen(false)}
        >
          {({ text }) => (
            <>
              <TextField label="Label" {...text('label')} />
              <DescriptionField {...text('description')} />
            </>
          )}
        </FormDialog>
      )}
    </>
  );
}

const noBackup = (
  <Empty>
    <p>No backups yet. Creating one takes a few seconds.</p>
  </Empty>
);

function RestoreList({ of: restores }: { readonly of: Loading<Restore[]> }) {
  return (
    <>
      <h2>Restores</h2>
      <LoadedTable
        of={restores}
        caption="Restores"
        keyOf={({ id }) => id}
        columns={restoreColumns}
        empty={<p class="soft">No restores yet.</p>}
      />
    </>
  );
}

/** How long backups are kept, when the server makes its own, and how contents leave the server. */
function Rules({ instance }: { readonly instance: string }) {
  const { data } = useDeployment();
  if (data === undefined) return null;
  const schedule = publicValue(data, 'GROUNDWORK_BACKUP_SCHEDULE');
  const keep = publicValue(data, 'GROUNDWORK_BACKUP_KEEP');
  const most = formatSize(Number(publicValue(data, 'GROUNDWORK_MAX_BACKUP_BYTES')));
  const others =
    schedule === undefined
      ? 'none on this server'
      : `the whole server at ${schedule} (UTC), ${keep} are kept; its operator restores them`;
  return (
    <Facts
      rows={[
        ['Kept', `until you delete them; ${most} per account`],
        ['Schedule', others],
        ['Download', <ExportCommand key="export" instance={instance} />],
      ]}
    />
  );
}

/** What takes the contents to another place: a backup stays in its deployment. */
function ExportCommand({ instance }: { readonly instance: string }) {
  const command = `groundwork export backup --instance ${instance}`;
  return (
    <>
      <code>{command}</code> <CopyButton text={() => command} label="Copy" about={command} /> writes
      the current objects, files, users and groups into the folder <code>backup</code>
    </>
  );
}

const restoreColumns = [
  { name: 'Started', cell: ({ created_at }: Restore) => <Time value={created_at} /> },
  { name: 'Backup', cell: ({ backup }: Restore) => backup },
  { name: 'Status', cell: BackupStatusText },
];
