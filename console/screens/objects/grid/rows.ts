import { useEffect, useRef, useState } from 'preact/hooks';
import { checkPath, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { type ApiPage, type ApiProblem, send } from '../../../core/api.ts';
import { toApiProblem } from '../../../core/load.ts';
import type { Parameters } from '../../../core/request.ts';
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
  /** Loads the next page; without effect while one is loaded, and after a problem. */
  readonly loadMore: () => void;
  /** Loads again after a problem, or from the start. */
  readonly retry: () => void;
  readonly reload: () => void;
  /** Shows a new state of an object. */
  readonly replace: (object: ObjectRecord) => void;
  readonly remove: (ids: ReadonlySet<number>) => void;
}

interface State {
  readonly all: readonly LoadedRow[];
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly problem: ApiProblem | undefined;
}

const nothing: State = { all: [], next: null, isLoading: true, problem: undefined };

/** Returns the parameters of a list. */
export function gridParameters({ query, orderBy, columns }: Listing): Parameters {
  const names = new Set(['id', 'revision', ...columns.map(({ name }) => name)]);
  return { query, order_by: orderBy, fields: [...names].join(',') };
}

/** Loads the objects of a class page by page; anew when `listing` changes. */
export function useRows(ofClass: ClassReference, listing: Listing): GridRows {
  const [state, setState] = useState(nothing);
  const [round, setRound] = useState(0);
  const load = useRef<(path: RequestPath, query?: Parameters) => void>(() => undefined);
  const isBusy = useRef(false);
  const following = useRef<string | null>(null); // known before the state is rendered: no page is loaded twice
  const parameters = gridParameters(listing);
  const start = () => load.current(objectsPath(ofClass), { ...parameters, page_size: pageSize });
  useEffect(() => {
    const abort = new AbortController();
    load.current = (path, query = {}) => {
      isBusy.current = true;
      setState((last) => ({ ...last, isLoading: true, problem: undefined }));
      readPage(path, query, abort.signal).then(
        ({ objects, next }) => {
          if (abort.signal.aborted) return;
          isBusy.current = false;
          following.current = next;
          const more = objects.map((object) => toRow(object, listing.columns));
          setState(({ all }) => ({
            all: [...all, ...more],
            next,
            isLoading: false,
            problem: undefined,
          }));
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setState((last) => ({ ...last, isLoading: false, problem: toApiProblem(error) }));
        },
      );
    };
    setState(nothing);
    following.current = null;
    start();
    return () => abort.abort();
  }, [JSON.stringify(parameters), objectsPath(ofClass), round]);
  const { all, next, isLoading, problem } = state;
  return {
    all,
    hasMore: next !== null,
    isLoading,
    problem,
    loadMore: () => {
      if (following.current !== null && !isBusy.current) {
        load.current(checkPath(following.current));
      }
    },
    retry: () => (next === null ? start() : load.current(checkPath(next))),
    reload: () => setRound((last) => last + 1),
    replace: (object) =>
      setState((last) => ({
        ...last,
        all: last.all.map((row) =>
          row.object.id === object.id ? toRow(object, listing.columns) : row,
        ),
      })),
    remove: (ids) =>
      setState((last) => ({ ...last, all: last.all.filter(({ object }) => !ids.has(object.id)) })),
  };
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
