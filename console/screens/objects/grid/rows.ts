import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { checkPath, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { type ApiPage, type ApiProblem, send } from '../../../core/api.ts';
import { toApiProblem } from '../../../core/load.ts';
import type { Parameters } from '../../../core/request.ts';
import { currentEntry } from '../../../core/router.ts';
import { lens, session } from '../../../core/session.ts';
import {
  type ClassReference,
  maxCellLength,
  type ObjectColumn,
  type ObjectRecord,
  objectsPath,
  valueText,
} from '../object-data.ts';

const pageSize = 50;

/** An object in the grid. Long values are not kept: 100,000 objects would fill the memory. */
export interface LoadedRow {
  readonly object: ObjectRecord;
  /** Fields of which only the first characters are kept, as text. */
  readonly cut: readonly string[];
}

/** What the grid lists. */
export interface Listing {
  readonly query: string | undefined;
  readonly orderBy: string | undefined;
  /** Fields that are loaded. */
  readonly columns: readonly ObjectColumn[];
}

/** Rows that were loaded so far. */
export interface GridRows {
  readonly all: readonly LoadedRow[];
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly problem: ApiProblem | undefined;
  /** Pixels that are scrolled; the grid writes it. */
  readonly offset: { current: number };
  /** Loads the next page; without effect while one is loaded, and after a problem. */
  readonly loadMore: () => void;
  /** Loads again after a problem, or from the start. */
  readonly retry: () => void;
  readonly reload: () => void;
  /** Shows a new state of an object. */
  readonly replace: (object: ObjectRecord) => void;
  /** Id of a new object that the grid has not shown yet. */
  readonly added: { current: number | undefined };
  /** Shows a new object, where its place is known. */
  readonly add: (object: ObjectRecord) => void;
  /** Hides objects that are deleted, or shows them again. */
  readonly hide: (ids: Iterable<number>, isHidden?: boolean) => void;
}

interface State {
  readonly all: readonly LoadedRow[];
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly problem: ApiProblem | undefined;
}

const nothing: State = { all: [], next: null, isLoading: true, problem: undefined };

/** Rows that were loaded, for when the user comes back to them. */
interface KeptRows {
  /** Tells lists apart. */
  readonly list: string;
  readonly all: readonly LoadedRow[];
  readonly next: string | null;
  /** Pixels that were scrolled. */
  readonly offset: number;
}

const maxLists = 5;
const maxKeptRows = 10_000;
const kept = new Map<number, KeptRows>();
session.subscribe(() => kept.clear()); // another account

/** Keeps rows for an entry of the history, in the memory of the tab. */
function keepRows(entry: number, rows: KeptRows): void {
  kept.delete(entry);
  if (rows.all.length === 0 || rows.all.length > maxKeptRows) return;
  kept.set(entry, rows);
  for (const oldest of [...kept.keys()].slice(0, -maxLists)) kept.delete(oldest);
}

/** Returns the rows of a list that were kept for an entry of the history. */
function keptRows(entry: number, list: string): KeptRows | undefined {
  const rows = kept.get(entry);
  return rows?.list === list ? rows : undefined;
}

/** Returns the parameters of a list. */
export function gridParameters({ query, orderBy, columns }: Listing): Parameters {
  const names = new Set(['id', 'revision', ...columns.map(({ name }) => name)]);
  return { query, order_by: orderBy, fields: [...names].join(',') };
}

/**
 * Loads the objects of a class page by page; again when `listing` changes. When the user comes back to an entry of the
 * history, its rows are those that were left.
 */
export function useRows(ofClass: ClassReference, listing: Listing): GridRows {
  const { state, setState, ...loader } = useLoader(ofClass, listing);
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const added = useRef<number | undefined>(undefined);
  const { next, isLoading, problem } = state;
  const all = useMemo(
    () => state.all.filter(({ object }) => !hidden.has(object.id)),
    [state.all, hidden],
  );
  useKeeping({ ...loader, all, next });
  const change = (changed: (rows: State['all']) => State['all']) =>
    setState((last) => ({ ...last, all: changed(last.all) }));
  return {
    ...loader,
    all,
    hasMore: next !== null,
    isLoading,
    problem,
    replace: (object) =>
      change((rows) =>
        rows.map((row) => (row.object.id === object.id ? toRow(object, listing.columns) : row)),
      ),
    added,
    add: (object) => {
      added.current = object.id;
      if (listing.query !== undefined || listing.orderBy !== undefined) return loader.reload();
      if (next === null) change((rows) => [...rows, toRow(object, listing.columns)]); // else it comes with the last page
    },
    hide: (ids, isHidden = true) => {
      if (!isHidden) kept.clear(); // lists without them
      setHidden((last) => {
        const changed = new Set(last);
        for (const id of ids) isHidden ? changed.add(id) : changed.delete(id);
        return changed;
      });
    },
  };
}

function useLoader(ofClass: ClassReference, listing: Listing) {
  const parameters = gridParameters(listing);
  const path = objectsPath(ofClass);
  const list = JSON.stringify([path, parameters, lens.peek()]); // another view has other rows
  const entry = currentEntry();
  const returned = useRef(useState(() => keptRows(entry, list))[0]);
  const [state, setState] = useState<State>({ ...nothing, ...returned.current });
  const [round, setRound] = useState(0);
  const load = useRef<(path: RequestPath, query?: Parameters) => void>(() => undefined);
  const isBusy = useRef(false);
  const following = useRef<string | null>(null); // known before the state is rendered: no page is loaded twice
  const offset = useRef(returned.current?.offset ?? 0);
  const start = () => load.current(path, { ...parameters, page_size: pageSize });
  useEffect(() => {
    const abort = new AbortController();
    load.current = (page, query = {}) => {
      isBusy.current = true;
      setState((last) => ({ ...last, isLoading: true, problem: undefined }));
      readPage(page, query, abort.signal).then(
        ({ objects, next }) => {
          if (abort.signal.aborted) return;
          isBusy.current = false;
          following.current = next;
          const more = objects.map((object) => toRow(object, listing.columns));
          setState(({ all }) => ({ ...nothing, all: [...all, ...more], next, isLoading: false }));
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setState((last) => ({ ...last, isLoading: false, problem: toApiProblem(error) }));
        },
      );
    };
    following.current = returned.current?.next ?? null;
    if (returned.current === undefined) {
      offset.current = 0;
      setState(nothing);
      start();
    } else setState((last) => ({ ...last, isLoading: false }));
    returned.current = undefined;
    return () => abort.abort();
  }, [list, round]);
  const loadMore = () => {
    const { current } = following;
    if (current !== null && !isBusy.current) load.current(checkPath(current));
  };
  const retry = () => (state.next === null ? start() : load.current(checkPath(state.next)));
  const reload = () => setRound((last) => last + 1);
  return { entry, list, state, setState, offset, loadMore, retry, reload };
}

interface LeftRows extends Pick<State, 'all' | 'next'>, Pick<GridRows, 'offset'> {
  readonly entry: number;
  readonly list: string;
}

/** Keeps the rows when the screen is left. */
function useKeeping({ entry, list, all, next, offset }: LeftRows): void {
  const latest = useRef(() => {});
  latest.current = () => keepRows(entry, { list, all, next, offset: offset.current });
  useEffect(() => () => latest.current(), []);
}

function readPage(
  path: RequestPath,
  query: Parameters,
  signal: AbortSignal,
): Promise<ApiPage<ObjectRecord>> {
  return send({ method: 'GET', path, query, signal });
}

/** Returns an object as a row; of long values only the first characters. */
export function toRow(object: ObjectRecord, columns: readonly ObjectColumn[]): LoadedRow {
  const cut: string[] = [];
  const kept: Record<string, unknown> = {};
  for (const column of columns) {
    const value = object[column.name];
    const isLong = mayBeLong.has(column.type) && valueText(column, value).length > maxCellLength;
    if (isLong) cut.push(column.name);
    kept[column.name] = isLong ? valueText(column, value).slice(0, maxCellLength) : value;
  }
  return { object: { ...kept, id: object.id, revision: object.revision }, cut };
}

const mayBeLong: ReadonlySet<string> = new Set(['string', 'text', 'array', 'object', 'relation']);
