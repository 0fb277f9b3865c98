import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { useLoad, useRepeat } from '../../core/load.ts';
import { href } from '../../core/router.ts';
import { Empty, LoadedData } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { Table } from '../../parts/table.tsx';
import { backupActions, backupColumns, confirmBackupDeletion } from './backup-columns.tsx';
import { accountBackups, type Backup, isAnyActive, lookMs } from './backup-data.ts';
import { NewInstanceDialog } from './new-instance-dialog.tsx';

/** The backups of the account, of all its instances and of deleted ones. */
export function Screen() {
  const backups = useLoad(() => readAll<Backup>(accountBackups), []);
  const [restored, setRestored] = useState<Backup>();
  useRepeat(backups.reload, lookMs, isAnyActive(backups));
  const remove = async (backup: Backup) => {
    if (await confirmBackupDeletion(backup)) backups.reload();
  };
  return (
    <ScreenFrame
      title="Your backups"
      about="All backups that you have made. A backup stays when its instance is deleted: restore it into a new one, or into another instance on the screen Backups there."
      above={[{ text: 'Your instances', href: href(at`/`) }]}
    >
      <LoadedData of={backups}>
        {(all) =>
          all.length === 0 ? (
            <Empty>
              <p>You have made no backup yet. The screen Backups of an instance makes one.</p>
            </Empty>
          ) : (
            <Table
              caption="Backups"
              rows={[...all].reverse()}
              keyOf={({ id }) => id}
              columns={columnsOf(setRestored, remove)}
            />
          )
        }
      </LoadedData>
      {restored !== undefined && (
        <NewInstanceDialog backup={restored} onClose={() => setRestored(undefined)} />
      )}
    </ScreenFrame>
  );
}

function columnsOf(
  onRestore: (backup: Backup) => void,
  onDelete: (backup: Backup) => Promise<void>,
) {
  const [first, ...others] = backupColumns;
  return [
    ...(first === undefined ? [] : [first]),
    { name: 'Instance', cell: Source },
    ...others,
    backupActions({ restore: 'Restore into a new instance…', onRestore, onDelete }),
  ];
}

function Source({ instance }: Backup) {
  if (instance === null) return <span class="badge">deleted instance</span>;
  return <a href={href(at`/i/${instance}/backups`)}>{instance}</a>;
}
