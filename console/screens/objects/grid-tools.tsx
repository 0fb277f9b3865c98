import { useState } from 'preact/hooks';
import { type ApiPage, send } from '../../core/api.ts';
import { counted, formatNumber } from '../../core/format.ts';
import { setQuery } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { QueryFilter } from './filter/query-filter.tsx';
import { ColumnChooser } from './grid/column-chooser.tsx';
import { maxRows } from './grid/grid.tsx';
import type { GridRows, Listing } from './grid/rows.ts';
import { type ClassReference, type ObjectColumn, objectsPath } from './object-data.ts';

/** A way in or out for many objects. */
export type Transfer = 'import' | 'export';

interface GridToolsProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly listing: Listing;
  readonly rows: GridRows;
  /** Cells in which something was typed. */
  readonly unsaved: number;
  readonly isHidden: boolean;
  readonly onTransfer: (transfer: Transfer) => void;
}

/** What the grid lists, in one line above it. */
export function GridTools({ ofClass, columns, listing, ...props }: GridToolsProps) {
  const { query, orderBy } = listing;
  const { rows, unsaved, isHidden, onTransfer } = props;
  return (
    <div class="actions grid-tools" hidden={isHidden}>
      <QueryFilter
        {...{ ofClass, columns, query }}
        onQuery={(changed) => setQuery({ query: changed })}
      />
      <OrderChoice columns={columns} orderBy={orderBy} />
      <ColumnChooser
        columns={columns}
        shown={listing.columns}
        onShown={(all) => setQuery({ columns: all.join(',') })}
      />
      <Button
        class="small"
        icon="import"
        sends={{ method: 'POST', path: objectsPath(ofClass) }}
        onAct={() => onTransfer('import')}
        text="Import"
      />
      <Button class="small" icon="export" onAct={() => onTransfer('export')} text="Export" />
      <span class="spring" />
      <GridStatus key={query} {...{ ofClass, query, rows, unsaved }} />
    </div>
  );
}

interface OrderChoiceProps {
  readonly columns: readonly ObjectColumn[];
  readonly orderBy: string | undefined;
}

/** Shows and changes the order, also where the grid has no headings. */
function OrderChoice({ columns, orderBy = 'id' }: OrderChoiceProps) {
  const names = columns.filter(({ maySort }) => maySort).map(({ name }) => name);
  return (
    <select
      class="order"
      aria-label="Order"
      value={orderBy}
      onChange={({ currentTarget: { value } }) =>
        setQuery({ order_by: value === 'id' ? undefined : value })
      }
    >
      {names.map((name) => (
        <>
          <option value={name}>{name} ▲</option>
          <option value={`-${name}`}>{name} ▼</option>
        </>
      ))}
    </select>
  );
}

interface GridStatusProps extends Pick<GridToolsProps, 'ofClass' | 'rows' | 'unsaved'> {
  readonly query: string | undefined;
}

const maxExact = 1000; // docs/reference/queries.md#count

/** How many objects there are. They are counted when asked: a count may take long. */
function GridStatus({ ofClass, query, rows, unsaved }: GridStatusProps) {
  const [count, setCount] = useState<number>();
  const run = async () => {
    const page = await send<ApiPage<unknown>>({
      method: 'GET',
      path: objectsPath(ofClass),
      query: { query, include_count: true, page_size: 0 },
    });
    setCount(page.objects_count);
  };
  return (
    <>
      <span class="soft" role="status">
        {statusOf(rows, count)}
        {unsaved > 0 && ` · ${counted(unsaved, 'unsaved cell')}`}
      </span>
      {rows.hasMore && count === undefined && <Button class="small" onAct={run} text="Count" />}
    </>
  );
}

function statusOf({ all, hasMore, isLoading }: GridRows, count: number | undefined): string {
  if (all.length === 0) return isLoading ? 'Loading…' : '';
  if (!hasMore) return counted(all.length, 'object');
  const loaded = formatNumber(all.length);
  if (count !== undefined) {
    return `${loaded} of ${count > maxExact ? 'about ' : ''}${formatNumber(count)} loaded`;
  }
  return all.length < maxRows ? `${loaded} loaded` : `${loaded} loaded; use a filter to see others`;
}
