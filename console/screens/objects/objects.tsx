import { useMemo, useState } from 'preact/hooks';
import { at } from '../../../shared/values/text/request-path.ts';
import { sendLater } from '../../core/delayed.ts';
import { useRecord } from '../../core/load.ts';
import { refusalOf } from '../../core/roles.ts';
import { currentLocation, href, type ScreenProps, setQuery } from '../../core/router.ts';
import { AddLink, Button } from '../../parts/button.tsx';
import { Empty, LoadedData, Problem } from '../../parts/loaded.tsx';
import { ScreenFrame } from '../../parts/page.tsx';
import { tabsOfClass } from '../../parts/tabs.tsx';
import { type ClassRecord, classPath, userProfileClass } from '../data/class-data.ts';
import { HiddenObjects } from '../keys/hidden-objects.tsx';
import { ViewAsMenu } from '../keys/view-as.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { useEdits } from './grid/edits.ts';
import { Grid } from './grid/grid.tsx';
import { type GridRows, type Listing, useRows } from './grid/rows.ts';
import { GridTools, type Transfer } from './grid-tools.tsx';
import { LabelsContext, makeLabels } from './labels.ts';
import {
  type ClassReference,
  columnsOf,
  drawerHref,
  type ObjectColumn,
  type ObjectRecord,
  objectPath,
  objectsPath,
} from './object-data.ts';
import { ObjectDrawer } from './object-drawer.tsx';
import { ExportDialog } from './transfer/export-dialog.tsx';
import { ImportDialog } from './transfer/import-dialog.tsx';

/** The objects of a class; one of them, or the form for a new one, is in a drawer over them. */
export function Screen({ names: { instance = '', class: className = '' }, below }: ScreenProps) {
  const dataClass = useRecord<ClassRecord>(classPath(instance, className));
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
        <>
          <ViewAsMenu instance={instance} />
          <NewLink ofClass={ofClass} />
        </>
      }
    >
      <HiddenObjects {...ofClass} isEmpty={dataClass.problem?.status === 404}>
        <LoadedData of={dataClass}>
          {(record) => <Objects key={record.revision} {...{ record, ofClass, below }} />}
        </LoadedData>
      </HiddenObjects>
    </ScreenFrame>
  );
}

function NewLink({ ofClass }: { readonly ofClass: ClassReference }) {
  if (ofClass.className === userProfileClass) return null; // one comes with each user
  return (
    <AddLink
      sends={{ method: 'POST', path: objectsPath(ofClass) }}
      href={drawerHref(ofClass, 'new')}
      text="New object"
    />
  );
}

function deleteLater(ofClass: ClassReference, id: number, rows: ReturnType<typeof useRows>): void {
  rows.hide([id]);
  sendLater({
    text: `Object ${id} deleted`,
    failure: `Object ${id} was not deleted`,
    request: { method: 'DELETE', path: objectPath(ofClass, id) },
    onUndo: () => rows.hide([id], false),
  });
}

interface ObjectsProps {
  readonly record: ClassRecord;
  readonly ofClass: ClassReference;
  /** Id of the object in the drawer, or `new`. */
  readonly below: string | undefined;
}

function Objects({ record, ofClass, below }: ObjectsProps) {
  const columns = useMemo(() => columnsOf(record), [record]);
  const listing = useListing(columns);
  const { query, orderBy } = listing;
  const [labels] = useState(() => makeLabels(ofClass.instance));
  const rows = withLabels(useRows(ofClass, listing), (id) => labels.renew(ofClass.className, id));
  const edits = useEdits(ofClass);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [transfer, setTransfer] = useState<Transfer>();
  const openId = below === undefined || below === 'new' ? undefined : Number(below);
  const remove = (id: number) => {
    setSelected(new Set());
    deleteLater(ofClass, id, rows);
  };
  const transfers = { ofClass, columns, onClose: () => setTransfer(undefined) };
  const isEmpty = rows.all.length === 0 && !rows.isLoading;
  return (
    <LabelsContext.Provider value={labels}>
      <GridTools
        {...{ ofClass, columns, listing, rows }}
        isHidden={selected.size > 0}
        unsaved={edits.unsaved}
        onTransfer={setTransfer}
      />
      <BulkBar
        {...{ ofClass, columns, selected }}
        onSelect={setSelected}
        onRemoveOne={remove}
        onRemoved={(ids) => {
          rows.hide(ids);
          setSelected(new Set());
        }}
        onChanged={rows.reload}
      />
      {rows.all.length > 0 && (
        <Grid
          {...{ ofClass, rows, edits, orderBy, selected, openId }}
          columns={listing.columns}
          maySelect={maySelect(ofClass)}
          isCovered={below !== undefined}
          onOrderBy={(order) => setQuery({ order_by: order })}
          onSelect={setSelected}
          onToggle={(id) => setSelected((last) => toggled(last, id))}
        />
      )}
      <HiddenObjects
        {...ofClass}
        isEmpty={isEmpty && (query === undefined || rows.problem?.status === 403)}
      >
        {rows.problem !== undefined && (
          <Problem message={rows.problem.message} retry={rows.retry} />
        )}
        {isEmpty && rows.problem === undefined && (
          <EmptyGrid ofClass={ofClass} query={query} onImport={() => setTransfer('import')} />
        )}
      </HiddenObjects>
      {transfer === 'import' && <ImportDialog {...transfers} onImported={rows.reload} />}
      {transfer === 'export' && <ExportDialog {...transfers} listing={listing} />}
      {below !== undefined && (
        <ObjectDrawer
          {...{ ofClass, columns }}
          id={openId}
          rows={rows.all}
          onSaved={openId === undefined ? rows.add : rows.replace}
          onDelete={remove}
        />
      )}
    </LabelsContext.Provider>
  );
}

/** Checks whether the role may change or delete any object. */
function maySelect(ofClass: ClassReference): boolean {
  const path = objectPath(ofClass, 0);
  return (['PATCH', 'DELETE'] as const).some((method) => refusalOf({ method, path }) === undefined);
}

/** Returns rows whose labels change with them. */
function withLabels(rows: GridRows, renew: (id: number) => void): GridRows {
  const replace = (object: ObjectRecord) => {
    rows.replace(object);
    renew(object.id);
  };
  return { ...rows, replace };
}

/** Returns what the place says of the list. */
function useListing(columns: readonly ObjectColumn[]): Listing {
  const { query } = currentLocation.value;
  const chosen = query.get('columns');
  const shown = useMemo(() => {
    const names = chosen?.split(',');
    return columns.filter(({ name, isSystem }) => names?.includes(name) ?? !isSystem);
  }, [columns, chosen]);
  const orderBy = query.get('order_by') ?? undefined;
  return { query: query.get('query') ?? undefined, orderBy, columns: shown };
}

interface EmptyGridProps {
  readonly ofClass: ClassReference;
  readonly query: string | undefined;
  readonly onImport: () => void;
}

/** Says why there are no rows, and what to do. */
function EmptyGrid({ ofClass, query, onImport }: EmptyGridProps) {
  if (query !== undefined) {
    return (
      <Empty>
        <p>No object matches the filter.</p>
        <Button onAct={() => setQuery({ query: undefined })} text="Clear filter" />
      </Empty>
    );
  }
  return (
    <Empty>
      <p>No objects yet.</p>
      <div class="actions">
        <NewLink ofClass={ofClass} />
        <Button
          icon="import"
          sends={{ method: 'POST', path: objectsPath(ofClass) }}
          onAct={onImport}
          text="Import"
        />
      </div>
    </Empty>
  );
}

function toggled(ids: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
