import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { counted, formatNumber, formatSize } from '../../core/format.ts';
import { Button } from '../../parts/button.tsx';
import { actionsColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { accountBackups, type Backup, backupTitle, mayDelete } from './backup-data.ts';

/** The columns that all lists of backups have, after one that names the row. */
export const backupColumns = [
  { name: 'Created', cell: ({ created_at }: Backup) => <Time value={created_at} /> },
  { name: 'Status', cell: BackupStatusText },
  { name: 'Size', isNumber: true, cell: ({ size }: Backup) => formatSize(size) },
  { name: 'Contents', cell: Contents },
];

/** The column that names a backup. */
export const titleColumn = {
  name: 'Backup',
  cell: (backup: Backup) => (
    <>
      {backupTitle(backup)}
      {backup.description !== '' && <span class="hint"> {backup.description}</span>}
    </>
  ),
};

/** The status of a backup or a restore. */
export function BackupStatusText({ status, status_info }: Pick<Backup, 'status' | 'status_info'>) {
  const isBad = status === 'error' || status === 'aborted';
  return (
    <>
      <span class={`badge ${isBad ? 'bad' : status === 'success' ? 'good' : ''}`}>{status}</span>{' '}
      {status_info}
    </>
  );
}

/** What is in a backup: classes and objects, and the rest when it is opened. */
function Contents({ details }: Backup) {
  const kinds = Object.entries(details).filter(([, { count }]) => count > 0);
  if (kinds.length === 0) return null;
  const { class: classes, data_object: objects } = details;
  return (
    <details>
      <summary>
        {counted(classes?.count ?? 0, 'class', 'classes')}, {counted(objects?.count ?? 0, 'object')}
      </summary>
      <ul class="plain">
        {kinds.map(([kind, { count, list = [] }]) => (
          <li key={kind}>
            {kind.replaceAll('_', ' ')}: {formatNumber(count)}
            {list.length > 0 && ` (${list.join(', ')}${count > list.length ? ', …' : ''})`}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What a person may do with a backup of a list. */
interface Actions {
  /** Text of the button that restores it. */
  readonly restore: string;
  readonly onRestore: (backup: Backup) => void;
  readonly onDeleted: () => void;
}

/** Returns the column of the buttons that restore and delete a backup. */
export function backupActions({ restore, onRestore, onDeleted }: Actions) {
  const remove = async (backup: Backup) => {
    const last =
      backup.instance === null ? ' Its instance is deleted: nothing else has its contents.' : '';
    const isSure = await confirm({
      title: 'Delete this backup',
      text: `${backupTitle(backup)} cannot be brought back.${last}`,
      verb: 'Delete the backup',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path: below(accountBackups)`${backup.id}/` });
    onDeleted();
  };
  return actionsColumn((backup: Backup) => (
    <div class="actions">
      <Button
        class="small"
        disabled={backup.status !== 'success'}
        onAct={() => onRestore(backup)}
        text={restore}
      />
      <Button
        class="small danger"
        disabled={!mayDelete(backup)}
        onAct={() => remove(backup)}
        text="Delete…"
      />
    </div>
  ));
}
