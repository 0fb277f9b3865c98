import { useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { useRepeat } from '../../core/load.ts';
import { href } from '../../core/router.ts';
import { Empty } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { backupActions, backupColumns, titleColumn } from './backup-columns.tsx';
import { accountBackups, type Backup, isAnyActive, lookMs, useNewestFirst } from './backup-data.ts';
import { NewInstanceDialog } from './new-instance-dialog.tsx';

/** The backups of the account, of all its instances and of deleted ones. */
export function Screen() {
  const backups = useNewestFirst<Backup>(accountBackups);
  const [restored, setRestored] = useState<Backup>();
  useRepeat(backups.reload, lookMs, isAnyActive(backups));
  return (
    <ScreenFrame
      title="Your backups"
      about="A backup stays when its instance is deleted: restore it into a new one, or into another instance on its own screen Backups."
      above={[{ text: 'Your instances', href: href(at`/`) }]}
    >
      <LoadedTable
        of={backups}
        caption="Backups"
        keyOf={({ id }) => id}
        columns={columnsOf(setRestored, backups.reload)}
        empty={
          <Empty>
            <p>You have no backup yet. The screen Backups of an instance creates one.</p>
          </Empty>
        }
      />
      {restored !== undefined && (
        <NewInstanceDialog backup={restored} onClose={() => setRestored(undefined)} />
      )}
    </ScreenFrame>
  );
}

function columnsOf(onRestore: (backup: Backup) => void, onDeleted: () => void) {
  return [
    titleColumn,
    { name: 'Instance', cell: Source },
    ...backupColumns,
    backupActions({ restore: 'Restore into a new instance…', onRestore, onDeleted }),
  ];
}

function Source({ instance }: Backup) {
  if (instance === null) return <span class="badge">deleted instance</span>;
  return <a href={href(at`/i/${instance}/backups`)}>{instance}</a>;
}
