import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { useRepeat } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { BackupStatusText, backupActions, backupColumns, titleColumn } from './backup-columns.tsx';
import { type Backup, isAnyActive, lookMs, type Restore, useNewestFirst } from './backup-data.ts';
import { NewBackup } from './new-backup.tsx';
import { RestoreDialog } from './restore-dialog.tsx';

/** Backups and restores of an instance. */
export function Screen({ names: { instance = '' } }: ScreenProps) {
  const [isAdding, setAdding] = useState(false);
  const [restoring, setRestoring] = useState<{ readonly first?: number }>();
  const backups = useNewestFirst<Backup>(at`instances/${instance}/backups/full/`);
  const restores = useNewestFirst<Restore>(at`instances/${instance}/restores/`);
  useRepeat(backups.reload, lookMs, isAnyActive(backups));
  useRepeat(restores.reload, lookMs, isAnyActive(restores));
  return (
    <ScreenFrame
      title="Backups"
      about="A copy of classes, objects, files, users, code and channels. Traces, messages, admins and API keys are not in it."
      actions={
        <>
          {restores.data !== undefined && (
            <Button onAct={() => setRestoring({})} text="Restore another backup…" />
          )}
          <Button class="main" onAct={() => setAdding(true)} text="Back up now" />
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
      <h2>Restores</h2>
      <LoadedTable
        of={restores}
        caption="Restores"
        keyOf={({ id }) => id}
        columns={restoreColumns}
        empty={<p class="soft">None.</p>}
      />
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

const noBackup = (
  <Empty>
    <p>There is no backup of yours yet. Each account sees its own.</p>
  </Empty>
);

const restoreColumns = [
  { name: 'Started', cell: ({ created_at }: Restore) => <Time value={created_at} /> },
  { name: 'Of backup', cell: ({ backup }: Restore) => backup },
  { name: 'Status', cell: BackupStatusText },
];
