import { Dialog } from '../../../parts/dialog.tsx';
import { type Column, type DataObject, valueText } from '../object-data.ts';

/** What two people have changed at once. */
export interface ConflictState {
  readonly theirs: DataObject;
  /** Values that were not saved. */
  readonly mine: Readonly<Record<string, unknown>>;
}

interface ConflictProps extends ConflictState {
  readonly columns: readonly Column[];
  readonly onKeepTheirs: () => void;
  readonly onOverwrite: () => void;
}

/** Shows what was saved in the meantime, and what would replace it. */
export function Conflict({ theirs, mine, columns, onKeepTheirs, onOverwrite }: ConflictProps) {
  const changed = columns.filter(({ name }) => name in mine);
  return (
    <Dialog title="The object has changed in the meantime" onClose={onKeepTheirs}>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Saved now</th>
            <th scope="col">Yours</th>
          </tr>
        </thead>
        <tbody>
          {changed.map((column) => (
            <tr key={column.name}>
              <th scope="row">{column.name}</th>
              <td>{valueText(column, theirs[column.name]) || 'not set'}</td>
              <td>{valueText(column, mine[column.name]) || 'not set'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        <button type="button" class="main" onClick={onKeepTheirs}>
          Keep theirs
        </button>
        <button type="button" class="danger" onClick={onOverwrite}>
          Overwrite with yours
        </button>
      </div>
    </Dialog>
  );
}
