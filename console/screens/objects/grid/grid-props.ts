import type { ClassReference, ObjectColumn } from '../object-data.ts';
import type { Edits } from './edits.ts';
import type { GridRows } from './rows.ts';

/** What the grid shows, and what it reports. */
export interface GridProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly rows: GridRows;
  readonly edits: Edits;
  /** For example `-title`. */
  readonly orderBy: string | undefined;
  readonly onOrderBy: (orderBy: string | undefined) => void;
  /** Of the object in the drawer. */
  readonly openId: number | undefined;
  /** A drawer is open. */
  readonly isCovered: boolean;
  /** Whether anything can be done with selected objects. */
  readonly maySelect: boolean;
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (selected: ReadonlySet<number>) => void;
  /** Selects an object or not. Rows keep it: it must not depend on the last selection. */
  readonly onToggle: (id: number) => void;
}
