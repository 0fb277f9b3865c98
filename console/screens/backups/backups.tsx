import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { type Loading, useLoad, useRepeat } from '../../core/load.ts';
import type { ScreenProps } from '../../core/router.ts';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import {
  BackupStatusText,
  backupActions,
  backupColumns,
  confirmBackupDeletion,
} from './backup-columns.tsx';
import { type Backup, isAnyActive, lookMs, type Restore } from './backup-data.ts';
import { NewBackup } from './new-backup.tsx';
import { RestoreDialog } from './restore-dialog.tsx';

/** Backups and restores of an instance. */
export function Screen({ names }: ScreenProps) {
  const { instance = '' } = names;
  const [isAdding, setAdding] = useState(false);
  const [restoring, setRestoring] = useState<{ readonly first?: number }>();
  const backups = useLoad(
    () => readAll<Backup>(at`instances/${instance}/backups/full/`),
    [instance],
  );
  const restores = useLoad(() => readAll<Restore>(at`instances/${instance}/restores/`), [instance]);
  useRepeat(backups.reload, lookMs, isAnyActive(backups));
  useRepeat(restores.reload, lookMs, isAnyActive(restores));
  const remove = async (backup: Backup) => {
    if (await confirmBackupDeletion(backup)) backups.reload();
  };
  return (
    <ScreenFrame
      title="Backups"
      about="A copy of classes, objects, files, users, code and channels. Traces, messages, admins and API keys are not in it."
      actions={
        <>
          {restores.data !== undefined && (
            <button type="button" onClick={() => setRestoring({})}>
              Restore another backup…
            </button>
          )}
          <button type="button" class="main" onClick={() => setAdding(true)}>
            Back up now
          </button>
        </>
      }
    >
      <LoadedData of={backups}>
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
              columns={columnsOf(({ id }) => setRestoring({ first: id }), remove)}
            />
          )
        }
      </LoadedData>
      <h2>Restores</h2>
      <RestoreList restores={restores} />
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

function RestoreList({ restores }: { readonly restores: Loading<Restore[]> }) {
  return (
    <LoadedData of={restores}>
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
    </LoadedData>
  );
}

const restoreColumns = [
  { name: 'Started', cell: ({ created_at }: Restore) => <Time value={created_at} /> },
  { name: 'Of backup', cell: ({ backup }: Restore) => backup },
  { name: 'Status', cell: BackupStatusText },
];

function columnsOf(
  onRestore: (backup: Backup) => void,
  onDelete: (backup: Backup) => Promise<void>,
) {
  return [...backupColumns, backupActions({ restore: 'Restore…', onRestore, onDelete })];
}
