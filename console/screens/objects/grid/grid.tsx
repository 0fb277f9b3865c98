import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { refusalOf } from '../../../core/roles.ts';
import { isShort } from '../edit/cell-editor.tsx';
import { drawerHref, type ObjectColumn, objectPath } from '../object-data.ts';
import { type ActiveCell, cellId, keyHandler } from './active-cell.ts';
import { GridHead } from './grid-head.tsx';
import type { GridProps } from './grid-props.ts';
import { GridRow } from './grid-row.tsx';
import type { GridRows, LoadedRow } from './rows.ts';
import { useNarrow, useRange, type VisibleRows } from './window.ts';

const deskRowHeight = 38; // CSS pixels, as is what follows
const cardLineHeight = 26;
const cardFrame = 46;
const maxCardLines = 8; // browsers show no more than 33 million pixels
/** Rows that are loaded at most: further ones are found by a filter or another order. */
export const maxRows = 100_000;
const ahead = 40; // rows that are loaded before they are seen
const widths: Readonly<Partial<Record<ObjectColumn['type'], number>>> = {
  boolean: 6,
  integer: 7,
  float: 8,
  file: 8,
  datetime: 15,
  text: 20,
  object: 18,
};
const usualWidth = 13; // rem
const selectWidth = 3;
const idWidth = 6;
const idShare = 2; // of the room that is left: as much as a narrow column

/** Objects as rows, loaded as the user scrolls. Only those in view are in the document. */
export function Grid(props: GridProps) {
  const { ofClass, rows, edits, maySelect, onToggle } = props;
  const { all, hasMore } = rows;
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const columns = isNarrow ? props.columns.slice(0, maxCardLines) : props.columns;
  const rowHeight = isNarrow ? cardFrame + cardLineHeight * columns.length : deskRowHeight;
  const { start, end } = useRange(box, rows, rowHeight);
  const table = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState<ActiveCell>({ row: 0, column: 0 });
  useLoadAhead(rows, end);
  const move = (next: ActiveCell) => {
    setActive(next);
    scrollTo(box.current, next.row * rowHeight, rowHeight);
  };
  useAdded(props, table, move);
  const onKeyDown = keyHandler({
    active,
    last: { row: all.length - 1, column: columns.length },
    rowsPerPage: Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1,
    onMove: move,
    onSelect: (cell) => maySelect && onToggle(all[cell.row]?.object.id ?? 0),
    onOpen: (cell) => {
      const column = columns[cell.column - 1];
      const row = all[cell.row];
      if (row === undefined) return;
      if (column === undefined) location.hash = drawerHref(ofClass, row.object.id);
      else beginEdit(props, row, column);
    },
  });
  const { tracks, sum } = widthsOf(columns, maySelect ? selectWidth : 0);
  return (
    <div class="grid-box" ref={box}>
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the pattern "grid" of ARIA: the table has the focus
        role="grid"
        class="grid"
        aria-label={`Objects of ${ofClass.className}`}
        aria-rowcount={hasMore ? -1 : all.length + 1}
        aria-multiselectable={maySelect}
        aria-activedescendant={shownId(active, { start, end })}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ '--row-height': `${rowHeight}px`, '--columns': tracks, '--width': sum }}
      >
        <GridHead {...props} />
        <Spacer height={start * rowHeight} />
        <GridBody
          {...props}
          columns={columns}
          range={{ start, end }}
          active={active}
          onActivate={setActive}
          onEnd={(id, name) => {
            edits.end(id, name);
            table.current?.focus();
          }}
        />
        <Spacer height={(all.length - end) * rowHeight} />
      </table>
    </div>
  );
}

interface GridBodyProps extends GridProps {
  readonly range: VisibleRows;
  readonly active: ActiveCell;
  readonly onActivate: (cell: ActiveCell) => void;
  /** A cell is not edited any more. */
  readonly onEnd: (id: number, name: string) => void;
}

function GridBody(props: GridBodyProps) {
  const { rows, range, active, edits, selected, openId, onEnd } = props;
  const { ofClass, columns, maySelect, onToggle, onActivate } = props;
  return (
    <tbody>
      {rows.all.slice(range.start, range.end).map((row, offset) => {
        const { id } = row.object;
        const index = range.start + offset;
        return (
          <GridRow
            key={id}
            {...{ ofClass, columns, row, index, edits, maySelect, onToggle, onActivate }}
            activeColumn={active.row === index ? active.column : undefined}
            isSelected={selected.has(id)}
            isOpen={openId === id}
            editedNames={edits.open.get(id)}
            onEdit={(column) => beginEdit(props, row, column)}
            onEnd={(name) => onEnd(id, name)}
            onSaved={(object, name) => {
              rows.replace(object);
              onEnd(id, name);
            }}
          />
        );
      })}
    </tbody>
  );
}

/** Edits a short value in its cell, and others in the drawer, which also shows who may not. */
function beginEdit({ ofClass, edits }: GridProps, row: LoadedRow, column: ObjectColumn): void {
  const { id } = row.object;
  if (column.isSystem) return;
  const sends = { method: 'PATCH', path: objectPath(ofClass, id) } as const;
  if (isShort(row, column) && refusalOf(sends) === undefined) edits.begin(id, column.name);
  else location.hash = drawerHref(ofClass, id, column.name);
}

/** Returns the id of a cell; undefined while its row is not in the document. */
function shownId(cell: ActiveCell, { start, end }: VisibleRows): string | undefined {
  return cell.row >= start && cell.row < end ? cellId(cell) : undefined;
}

/** Loads the next page before its rows are seen. */
function useLoadAhead({ all, isLoading, loadMore }: GridRows, end: number): void {
  useEffect(() => {
    if (end + ahead >= all.length && all.length < maxRows) loadMore();
  }, [end, all.length, isLoading]);
}

/** Moves to the row of a new object, where it is loaded, once the drawer is closed. */
function useAdded(
  { rows, isCovered }: GridProps,
  table: RefObject<HTMLElement | null>,
  move: (cell: ActiveCell) => void,
): void {
  const { all, added, isLoading } = rows;
  useEffect(() => {
    if (added.current === undefined || isCovered || isLoading) return;
    const row = all.findIndex(({ object }) => object.id === added.current);
    added.current = undefined;
    if (row < 0) return;
    move({ row, column: 0 });
    table.current?.focus({ preventScroll: true });
  }, [isCovered, isLoading]);
}

/**
 * Returns the widths of the columns for CSS, and their sum.
 *
 * @param select the width of the check boxes; 0: there are none
 */
function widthsOf(
  columns: readonly ObjectColumn[],
  select: number,
): {
  readonly tracks: string;
  readonly sum: string;
} {
  const all = columns.map(({ type }) => widths[type] ?? usualWidth);
  const shared = all.map((width) => `minmax(${width}rem, ${width}fr)`);
  const first = select === 0 ? [] : [`${select}rem`];
  const tracks = [...first, `minmax(${idWidth}rem, ${idShare}fr)`, ...shared].join(' ');
  return {
    tracks,
    sum: `${all.reduce((total, width) => total + width, select + idWidth)}rem`,
  };
}

/** Takes the place of the rows that are not in the document. */
function Spacer({ height }: { readonly height: number }) {
  return <tbody style={{ height: `${height}px` }} />;
}

function scrollTo(box: HTMLElement | null, top: number, rowHeight: number): void {
  if (box === null) return;
  const head = box.querySelector('thead')?.clientHeight ?? 0;
  if (top < box.scrollTop) box.scrollTop = top;
  const bottom = top + rowHeight + head - box.clientHeight;
  if (bottom > box.scrollTop) box.scrollTop = bottom;
}
