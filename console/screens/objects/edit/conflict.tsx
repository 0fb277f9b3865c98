import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { send } from '../../../core/api.ts';
import { attempt } from '../../../core/notices.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import {
  type ClassReference,
  type ObjectColumn,
  type ObjectRecord,
  objectPath,
  readObject,
  valueText,
} from '../object-data.ts';
import { isConflict, updateRequest } from './draft.ts';

interface SavingProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly onSaved: (object: ObjectRecord) => void;
  /** The values that another saved in the meantime are kept. */
  readonly onTheirs: (object: ObjectRecord) => void;
}

interface Saving {
  /** Changes an object, if it still has this revision; else the user decides. */
  readonly save: (
    object: Pick<ObjectRecord, 'id' | 'revision'>,
    mine: Readonly<Record<string, unknown>>,
  ) => Promise<void>;
  /** The dialog in which the user decides; undefined while there is nothing to decide. */
  readonly conflict: ComponentChildren;
}

/** Saves changes of an object, unless another was faster: then the user decides between both. */
export function useSaving({ ofClass, columns, onSaved, onTheirs }: SavingProps): Saving {
  const [conflict, setConflict] = useState<ConflictState>();
  const save: Saving['save'] = async ({ id, revision }, mine) => {
    let saved: ObjectRecord;
    try {
      saved = await send<ObjectRecord>(updateRequest(objectPath(ofClass, id), mine, revision));
    } catch (error) {
      if (!isConflict(error)) throw error;
      setConflict({ theirs: await readObject(ofClass, id), mine });
      return;
    }
    setConflict(undefined);
    onSaved(saved);
  };
  return {
    save,
    conflict: conflict && (
      <Conflict
        {...conflict}
        columns={columns}
        onKeepTheirs={() => {
          setConflict(undefined);
          onTheirs(conflict.theirs);
        }}
        onOverwrite={() => attempt(() => save(conflict.theirs, conflict.mine))}
      />
    ),
  };
}

/** What two people have changed at once. */
interface ConflictState {
  readonly theirs: ObjectRecord;
  /** Values that were not saved. */
  readonly mine: Readonly<Record<string, unknown>>;
}

interface ConflictProps extends ConflictState {
  readonly columns: readonly ObjectColumn[];
  readonly onKeepTheirs: () => void;
  readonly onOverwrite: () => void;
}

/** Shows what was saved in the meantime, and what would replace it. */
function Conflict({ theirs, mine, columns, onKeepTheirs, onOverwrite }: ConflictProps) {
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
        <Button class="main" onAct={onKeepTheirs} text="Keep theirs" />
        <Button class="danger" onAct={onOverwrite} text="Overwrite with yours" />
      </div>
    </Dialog>
  );
}
