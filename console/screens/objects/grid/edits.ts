import { useRef, useState } from 'preact/hooks';
import { below } from '../../../../shared/values/text/request-path.ts';
import { useUnsaved } from '../../../parts/unsaved.ts';
import { type ClassReference, gridLocation } from '../object-data.ts';

/** What is typed in a cell. */
export interface CellDraft {
  readonly text: string;
  /** Of the object that was edited first: it may have been loaded again since. */
  readonly revision: number;
}

/** Cells that are edited. Their rows need not be in the document. */
export interface Edits {
  /** Names of the fields that are edited, by the id of their object. */
  readonly open: ReadonlyMap<number, readonly string[]>;
  /** Cells in which something was typed. */
  readonly unsaved: number;
  readonly begin: (id: number, name: string) => void;
  /** A cell is saved, or its text is given up. */
  readonly end: (id: number, name: string) => void;
  readonly draftOf: (id: number, name: string) => CellDraft | undefined;
  readonly keep: (id: number, name: string, draft: CellDraft) => void;
}

/** Keeps what is typed in cells until it is saved or cancelled. */
export function useEdits(ofClass: ClassReference): Edits {
  const [open, setOpen] = useState<ReadonlyMap<number, readonly string[]>>(new Map());
  const [unsaved, setUnsaved] = useState(0);
  const drafts = useRef(new Map<string, CellDraft>());
  const change = (id: number, changed: (names: readonly string[]) => readonly string[]) =>
    setOpen((last) => new Map(last).set(id, changed(last.get(id) ?? [])));
  const grid = gridLocation(ofClass);
  useUnsaved(unsaved > 0, undefined, (path) => path === grid || path.startsWith(below(grid)`/`));
  return {
    open,
    unsaved,
    begin: (id, name) => change(id, (names) => [...names.filter((each) => each !== name), name]),
    end: (id, name) => {
      change(id, (names) => names.filter((each) => each !== name));
      drafts.current.delete(keyOf(id, name));
      setUnsaved(drafts.current.size);
    },
    draftOf: (id, name) => drafts.current.get(keyOf(id, name)),
    keep: (id, name, draft) => {
      drafts.current.set(keyOf(id, name), draft);
      setUnsaved(drafts.current.size);
    },
  };
}

function keyOf(id: number, name: string): string {
  return `${id} ${name}`;
}
