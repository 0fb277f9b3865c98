import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { notifyProblem } from '../../../core/notices.ts';
import type { CellDraft } from '../grid/edits.ts';
import type { LoadedRow } from '../grid/rows.ts';
import type { ClassReference, ObjectColumn, ObjectRecord } from '../object-data.ts';
import { useSaving } from './conflict.tsx';
import { fromDraft, toValueDraft, type ValueDraft } from './draft.ts';

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

/** Tells whether a value is edited in its cell. */
export function isShort(row: LoadedRow, { type, name }: ObjectColumn): boolean {
  return shortTypes.includes(type) && !row.cut.includes(name);
}

/** Edits a short value. Enter saves, Escape does not. */
export function CellEditor(props: CellEditorProps) {
  const { ofClass, row, column, onSaved } = props;
  const saving = useSaving({ ofClass, columns: [column], onSaved, onTheirs: onSaved });
  const save = async (draft: ValueDraft, revision: number) => {
    const mine = { [column.name]: await fromDraft(ofClass, column, draft) };
    await saving.save({ id: row.object.id, revision }, mine);
  };
  return saving.conflict ?? <CellInput {...props} onSave={save} />;
}

interface CellInputProps extends CellEditorProps {
  readonly onSave: (draft: ValueDraft, revision: number) => Promise<void>;
}

function CellInput({ row: { object }, column, draft, onDraft, onSave, onClose }: CellInputProps) {
  const { name, type } = column;
  const loaded = toValueDraft(column, object[name]);
  const [text, setText] = useState(draft?.text ?? (typeof loaded === 'string' ? loaded : ''));
  const revision = draft?.revision ?? object.revision;
  const control = useRef<HTMLInputElement & HTMLSelectElement>(null);
  // not after the next frame: the first keys may come before it
  useLayoutEffect(() => {
    // unless another control is used
    if (document.activeElement?.contains(control.current)) {
      control.current?.focus({ preventScroll: true });
    }
    if (draft === undefined) control.current?.select?.(); // what is typed replaces the value
  }, []);
  useEffect(() => {
    const table = control.current?.closest('table');
    return () => {
      // a control that left the document with the focus has left it to the body
      if (document.activeElement === document.body) table?.focus({ preventScroll: true });
    };
  }, []);
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
