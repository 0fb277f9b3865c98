import { useEffect, useRef, useState } from 'preact/hooks';
import { useLoad } from '../../../core/load.ts';
import { notifyProblem } from '../../../core/notices.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { Form } from '../../../parts/form.tsx';
import { LoadedData } from '../../../parts/loaded.tsx';
import type { CellDraft } from '../grid/edits.ts';
import type { LoadedRow } from '../grid/rows.ts';
import {
  type ClassReference,
  type ObjectColumn,
  type ObjectRecord,
  readObject,
} from '../object-data.ts';
import { useSaving } from './conflict.tsx';
import { fromDraft, toValueDraft, type ValueDraft } from './draft.ts';
import { ValueControl } from './value-control.tsx';

/** A cell that is edited. */
export interface CellEditorProps {
  readonly ofClass: ClassReference;
  readonly row: LoadedRow;
  readonly column: ObjectColumn;
  /** What was typed before its row left the view. */
  readonly draft: CellDraft | undefined;
  readonly onDraft: (draft: CellDraft) => void;
  readonly onSaved: (object: ObjectRecord) => void;
  readonly onClose: () => void;
}

const shortTypes: readonly string[] = ['string', 'integer', 'float', 'boolean'];

/** Tells whether a value is edited in its cell; others are in a dialog. */
function isShort({ row, column }: Pick<CellEditorProps, 'row' | 'column'>): boolean {
  return shortTypes.includes(column.type) && !row.cut.includes(column.name);
}

/** Edits a value. Enter saves, Escape does not. */
export function CellEditor(props: CellEditorProps) {
  const { ofClass, row, column, onSaved, onClose } = props;
  const saving = useSaving({ ofClass, columns: [column], onSaved, onTheirs: onSaved });
  const save = async (draft: ValueDraft, revision: number) => {
    const mine = { [column.name]: await fromDraft(ofClass, column, draft) };
    await saving.save({ id: row.object.id, revision }, mine);
  };
  if (saving.conflict !== undefined) return <>{saving.conflict}</>;
  if (isShort(props)) return <ShortEditor {...props} onSave={save} />;
  return (
    <Dialog title={`${column.name} of object ${row.object.id}`} onClose={onClose}>
      <LongEditor {...props} onSave={save} />
    </Dialog>
  );
}

interface EditorProps extends CellEditorProps {
  readonly onSave: (draft: ValueDraft, revision: number) => Promise<void>;
}

function ShortEditor({ row: { object }, column, draft, onDraft, onSave, onClose }: EditorProps) {
  const { name, type } = column;
  const loaded = toValueDraft(column, object[name]);
  const [text, setText] = useState(draft?.text ?? (typeof loaded === 'string' ? loaded : ''));
  const revision = draft?.revision ?? object.revision;
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => borrowFocus(control.current), []);
  const write = (typed: string) => {
    setText(typed);
    onDraft({ text: typed, revision });
  };
  const save = () => {
    if (text === (loaded ?? '')) onClose();
    else onSave(text, revision).catch(notifyProblem);
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
      <select {...shared} onChange={({ currentTarget }) => write(currentTarget.value)}>
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
      onInput={({ currentTarget }) => write(currentTarget.value)}
    />
  );
}

/** Focuses a control of the grid, unless another one is used, and returns what gives the focus back to the grid. */
function borrowFocus(control: HTMLElement | null): () => void {
  const table = control?.closest('table');
  if (document.activeElement?.contains(control)) control?.focus({ preventScroll: true });
  return () => {
    // a control that left the document with the focus has left it to the body
    if (document.activeElement === document.body) table?.focus({ preventScroll: true });
  };
}

function LongEditor({ ofClass, row, column, onSave, onClose }: EditorProps) {
  const { name } = column;
  const { id } = row.object;
  const value = useLoad(
    (signal) => readObject(ofClass, id, { query: { fields: `revision,${name}` }, signal }),
    [id, name],
  );
  const [draft, setDraft] = useState<ValueDraft>();
  return (
    <LoadedData of={value}>
      {(object) => {
        const shown = draft === undefined ? toValueDraft(column, object[name]) : draft;
        return (
          <Form verb="Save" onSend={() => onSave(shown, object.revision)} onCancel={onClose}>
            {(errors) => (
              <ValueControl
                ofClass={ofClass}
                column={column}
                draft={shown}
                onDraft={setDraft}
                error={errors[name]}
              />
            )}
          </Form>
        );
      }}
    </LoadedData>
  );
}
