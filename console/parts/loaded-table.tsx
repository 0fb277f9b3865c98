import type { ComponentChildren } from 'preact';
import type { LoadState } from '../core/load.ts';
import { LoadedData } from './loaded.tsx';
import { PageButtons, type Paged } from './paged.tsx';
import { Table, type TableProps } from './table.tsx';

interface LoadedTableProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly of: LoadState<readonly Row[]> | Paged<Row>;
  /** Is shown when there are no rows; absent: the table without any. */
  readonly empty?: ComponentChildren;
  /** Labels of the buttons for pages. */
  readonly pageTexts?: readonly [prev: string, next: string];
}

/** A table of a list that is loaded; below it, buttons for its other pages. */
export function LoadedTable<Row>(props: LoadedTableProps<Row>) {
  const { of: list, empty, pageTexts, ...table } = props;
  return (
    <>
      <LoadedData of={list}>
        {(rows) =>
          rows.length === 0 && empty !== undefined ? empty : <Table {...table} rows={rows} />
        }
      </LoadedData>
      {'pages' in list && <PageButtons of={list} {...(pageTexts && { texts: pageTexts })} />}
    </>
  );
}
