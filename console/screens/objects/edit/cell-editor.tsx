import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from '../../../core/api.ts';
import { useLoad } from '../../../core/load.ts';
import { attempt, notifyProblem } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Form } from '../../../parts/form.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import type { Row } from '../grid/rows.ts';
import {
  type Column,
  type DataObject,
  type ObjectsPlace,
  objectPath,
  readObject,
} from '../object-data.ts';
import { Conflict, type ConflictState } from './conflict.tsx';
import { type Draft, fromDraft, isConflict, toDraft, updateRequest } from './draft.ts';
import { ValueControl } from './value-control.tsx';

/** A cell that is edited. */
export interface CellEditorProps {
  readonly place: ObjectsPlace;
  readonly row: Row;
  readonly column: Column;
  readonly onSaved: (object: DataObject) => void;
  readonly onClose: () => void;
}

const shortTypes: readonly string[] = ['string', 'integer', 'float', 'boolean'];

/** Tells whether a value is edited in its cell; others are in a dialog. */
function isShort({ row, column }: Pick<CellEditorProps, 'row' | 'column'>): boolean {
  return shortTypes.includes(column.type) && !row.cut.includes(column.name);
}

/** Edits a value. Enter saves, Escape does not. */
export function CellEditor(props: CellEditorProps) {
  const { place, row, column, onSaved, onClose } = props;
  const [conflict, setConflict] = useState<ConflictState>();
  const path = objectPath(place, row.object.id);
  const save = async (draft: Draft, revision: number) => {
    const mine = { [column.name]: await fromDraft(place, column, draft) };
    try {
      onSaved(await send<DataObject>(updateRequest(path, mine, revision)));
    } catch (error) {
      if (!isConflict(error)) throw error;
      setConflict({ theirs: await readObject(place, row.object.id), mine });
    }
  };
  if (conflict !== undefined) {
    const { theirs, mine } = conflict;
    const overwrite = async () =>
      onSaved(await send<DataObject>(updateRequest(path, mine, theirs.revision)));
    return (
      <Conflict
        {...conflict}
        columns={[column]}
        onKeepTheirs={() => onSaved(theirs)}
        onOverwrite={() => attempt(overwrite)}
      />
    );
  }
  if (isShort(props)) return <ShortEditor {...props} onSave={save} />;
  return (
    <Dialog title={`${column.name} of object ${row.object.id}`} onClose={onClose}>
      <LongEditor {...props} onSave={save} />
    </Dialog>
  );
}

interface EditorProps extends CellEditorProps {
  readonly onSave: (draft: Draft, revision: number) => Promise<void>;
}

function ShortEditor({ row: { object }, column, onSave, onClose }: EditorProps) {
  const { name, type } = column;
  const [loaded] = useState(toDraft(column, object[name]));
  const [text, setText] = useState(typeof loaded === 'string' ? loaded : '');
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => control.current?.focus(), []);
  const save = () => {
    if (text === (loaded ?? '')) onClose();
    else onSave(text, object.revision).catch(notifyProblem);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') save();
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shared = {
    ref: control,
    value: text,
    onKeyDown,
    'aria-label': `${name} of object ${object.id}`,
  };
  if (type === 'boolean') {
    return (
      <select {...shared} onChange={({ currentTarget }) => setText(currentTarget.value)}>
        <option value="">not set</option>
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  return (
    <input
      {...shared}
      inputMode={type === 'string' ? 'text' : 'decimal'}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

function LongEditor({ place, row, column, onSave, onClose }: EditorProps) {
  const { name } = column;
  const { id } = row.object;
  const value = useLoad(
    (signal) => readObject(place, id, { query: { fields: `revision,${name}` }, signal }),
    [id, name],
  );
  const [draft, setDraft] = useState<Draft>();
  return (
    <Loaded of={value}>
      {(object) => {
        const shown = draft === undefined ? toDraft(column, object[name]) : draft;
        return (
          <Form verb="Save" onSend={() => onSave(shown, object.revision)} onCancel={onClose}>
            {(errors) => (
              <ValueControl
                place={place}
                column={column}
                draft={shown}
                onDraft={setDraft}
                error={errors[name]}
              />
            )}
          </Form>
        );
      }}
    </Loaded>
  );
}
