import { below } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { formatSize } from '../../core/format.ts';
import { Button } from '../../parts/button.tsx';
import { Time } from '../../parts/time.tsx';
import { accountBackups, type Backup, backupTitle, mayDelete } from './backup-data.ts';

/** The first column of a list of backups: it names the row. */
export const titleColumn = { name: 'Label', cell: Title };

/** The other columns that all lists of backups have. */
export const backupColumns = [
  { name: 'Made', cell: ({ created_at }: Backup) => <Time value={created_at} /> },
  { name: 'Status', cell: BackupStatusText },
  { name: 'Size', isNumber: true, cell: ({ size }: Backup) => formatSize(size) },
  { name: 'Contents', cell: Contents },
];

function Title(backup: Backup) {
  return (
    <>
      {backupTitle(backup)}
      {backup.description !== '' && <p class="hint">{backup.description}</p>}
    </>
  );
}

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

function Contents({ details }: Backup) {
  const kinds = Object.entries(details).filter(([, { count }]) => count > 0);
  const texts = kinds.map(([kind, { count, list = [] }]) => {
    const more = count > list.length ? ', …' : '';
    const names = list.length === 0 ? '' : ` (${list.join(', ')}${more})`;
    return `${kind.replaceAll('_', ' ')}: ${count}${names}`;
  });
  return <>{texts.join(', ')}</>;
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
      text: `The copy ${backupTitle(backup)} is gone then.${last}`,
      verb: 'Delete the backup',
    });
    if (!isSure) return;
    await send({ method: 'DELETE', path: below(accountBackups)`${backup.id}/` });
    onDeleted();
  };
  return {
    name: 'Actions',
    isActions: true,
    cell: (backup: Backup) => (
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
    ),
  };
}
