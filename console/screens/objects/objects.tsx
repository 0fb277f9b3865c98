import { useMemo, useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { counted } from '../../core/format.ts';
import { useLoad } from '../../core/load.ts';
import { currentLocation as current, href, type ScreenProps, setQuery } from '../../core/router.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, LoadedData, Problem } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { tabsOfClass } from '../../parts/tabs.tsx';
import { type ClassRecord, fetchClass, userProfileClass } from '../data/class-data.ts';
import { HiddenObjects } from '../keys/hidden-objects.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { CountButton } from './count-button.tsx';
import { QueryFilter } from './filter/query-filter.tsx';
import { ColumnChooser } from './grid/column-chooser.tsx';
import { useEdits } from './grid/edits.ts';
import { Grid, maxRows } from './grid/grid.tsx';
import { type Listing, useRows } from './grid/rows.ts';
import {
  type ClassReference,
  columnsOf,
  type ObjectColumn,
  objectLocation,
} from './object-data.ts';
import { ExportDialog } from './transfer/export-dialog.tsx';
import { ImportDialog } from './transfer/import-dialog.tsx';

/** The objects of a class. */
export function Screen({ names: { instance = '', class: className = '' } }: ScreenProps) {
  const dataClass = useLoad(() => fetchClass(instance, className), [instance, className]);
  const ofClass = { instance, className };
  return (
    <ScreenFrame
      title={className}
      above={[
        { text: instance, href: href(at`/i/${instance}`) },
        { text: 'Classes', href: href(at`/i/${instance}/data`) },
      ]}
      tabs={tabsOfClass(instance, className, 'Objects')}
      actions={
        className !== userProfileClass && (
          <a class="button main" href={href(objectLocation(ofClass, 'new'))}>
            New object
          </a>
        )
      }
    >
      <HiddenObjects {...ofClass} isEmpty={dataClass.problem?.status === 404}>
        <LoadedData of={dataClass}>
          {(record) => <Objects key={record.revision} record={record} ofClass={ofClass} />}
        </LoadedData>
      </HiddenObjects>
    </ScreenFrame>
  );
}

interface ObjectsProps {
  readonly record: ClassRecord;
  readonly ofClass: ClassReference;
}

function Objects({ record, ofClass }: ObjectsProps) {
  const columns = useMemo(() => columnsOf(record), [record]);
  const { query: parameters } = current.value;
  const query = parameters.get('query') ?? undefined;
  const orderBy = parameters.get('order_by') ?? undefined;
  const chosen = parameters.get('columns');
  const shown = useMemo(() => {
    const names = chosen?.split(',');
    return columns.filter(({ name, isSystem }) => names?.includes(name) ?? !isSystem);
  }, [columns, chosen]);
  const listing: Listing = { query, orderBy, columns: shown };
  const rows = useRows(ofClass, listing);
  const edits = useEdits();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const isEmpty = rows.all.length === 0 && !rows.isLoading;
  return (
    <>
      <div class="grid-tools">
        <QueryFilter
          {...{ ofClass, columns, query }}
          onQuery={(changed) => setQuery({ query: changed })}
        />
        <OrderChoice columns={columns} orderBy={orderBy} />
        <Transfers ofClass={ofClass} columns={columns} listing={listing} onImported={rows.reload} />
        <CountButton key={query} ofClass={ofClass} query={query} />
        <ColumnChooser
          columns={columns}
          shown={shown}
          onShown={(all) => setQuery({ columns: all.join(',') })}
        />
      </div>
      <BulkBar
        ofClass={ofClass}
        columns={columns}
        selected={selected}
        onSelect={setSelected}
        onRemoved={(ids) => {
          rows.remove(ids);
          setSelected(new Set());
        }}
        onChanged={rows.reload}
      />
      {rows.all.length > 0 && (
        <Grid
          ofClass={ofClass}
          columns={shown}
          rows={rows}
          edits={edits}
          orderBy={orderBy}
          onOrderBy={(order) => setQuery({ order_by: order })}
          selected={selected}
          onSelect={setSelected}
          onToggle={(id) => setSelected((last) => toggled(last, id))}
        />
      )}
      <p class="soft" role="status">
        {rows.isLoading ? 'Loading…' : statusOf(rows.all.length, rows.hasMore)}
        {edits.unsaved > 0 && ` Not saved yet: ${counted(edits.unsaved, 'cell')}.`}
      </p>
      <HiddenObjects
        {...ofClass}
        isEmpty={isEmpty && (query === undefined || rows.problem?.status === 403)}
      >
        {rows.problem !== undefined && (
          <Problem message={rows.problem.message} retry={rows.retry} />
        )}
        {isEmpty && rows.problem === undefined && (
          <Empty>
            <p>{query === undefined ? 'The class has no objects yet.' : 'No object matches.'}</p>
          </Empty>
        )}
      </HiddenObjects>
    </>
  );
}

function toggled(ids: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
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

interface TransfersProps {
  readonly ofClass: ClassReference;
  readonly columns: readonly ObjectColumn[];
  readonly listing: Listing;
  readonly onImported: () => void;
}

function Transfers({ ofClass, columns, listing, onImported }: TransfersProps) {
  const [open, setOpen] = useState<'import' | 'export'>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Button class="small" onAct={() => setOpen('import')} text="Import" />
      <Button class="small" onAct={() => setOpen('export')} text="Export" />
      {open === 'import' && (
        <ImportDialog ofClass={ofClass} columns={columns} onClose={close} onImported={onImported} />
      )}
      {open === 'export' && (
        <ExportDialog ofClass={ofClass} columns={columns} listing={listing} onClose={close} />
      )}
    </>
  );
}

function statusOf(loaded: number, hasMore: boolean): string {
  if (loaded === 0) return '';
  if (hasMore && loaded >= maxRows)
    return `${loaded} loaded, which is the most. Filter for others.`;
  return hasMore ? `${loaded} loaded; scroll for more.` : `${loaded} in all.`;
}
