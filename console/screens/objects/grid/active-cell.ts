/** The cell that the keyboard works on. Column 0 has the id. */
export interface ActiveCell {
  readonly row: number;
  readonly column: number;
}

/** Returns the cell to which a key moves; undefined for other keys. */
function moveActive(
  { row, column }: ActiveCell,
  { key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  { last, rowsPerPage }: Pick<KeyActions, 'last' | 'rowsPerPage'>,
): ActiveCell | undefined {
  const targets: Readonly<Record<string, ActiveCell>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - rowsPerPage, column },
    PageDown: { row: row + rowsPerPage, column },
    Home: { row: ctrlKey ? 0 : row, column: 0 },
    End: { row: ctrlKey ? last.row : row, column: last.column },
  };
  const target = targets[key];
  if (target === undefined) return undefined;
  return {
    row: Math.max(0, Math.min(last.row, target.row)),
    column: Math.max(0, Math.min(last.column, target.column)),
  };
}

/** Returns the id of the element of a cell. */
export function cellId({ row, column }: ActiveCell): string {
  return `cell-${row}-${column}`;
}

/** Returns what selects and opens by keyboard, and moves the active cell. */
export function keyHandler({ active, onMove, onSelect, onOpen, ...size }: KeyActions) {
  return (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return; // a control in a cell has its own keys
    const next = moveActive(active, event, size);
    if (next !== undefined) onMove(next);
    else if (event.key === ' ') onSelect(active);
    else if (event.key === 'Enter' || event.key === 'F2') onOpen(active);
    else return;
    event.preventDefault();
  };
}

interface KeyActions {
  readonly active: ActiveCell;
  /** The cell at the end of the grid. */
  readonly last: ActiveCell;
  readonly rowsPerPage: number;
  readonly onMove: (next: ActiveCell) => void;
  readonly onSelect: (cell: ActiveCell) => void;
  readonly onOpen: (cell: ActiveCell) => void;
}
