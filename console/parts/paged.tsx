import { useState } from 'preact/hooks';
import { checkPath, type RequestPath } from '../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../core/api.ts';
import { type Loading, useLoad } from '../core/load.ts';
import type { Parameters } from '../core/request.ts';

/** A list of which one page is shown. */
export interface Paged<Item> extends Loading<ApiPage<Item>> {
  readonly open: (page: string | null) => void;
}

/** Loads a list page by page; another path or query begins at the first page. */
export function usePages<Item>(path: RequestPath, query: Parameters = {}): Paged<Item> {
  const list = JSON.stringify([path, query]);
  const [shown, setShown] = useState({ list, page: path });
  const page = shown.list === list ? shown.page : path;
  const loading = useLoad<ApiPage<Item>>(
    (signal) => send({ method: 'GET', path: page, query, signal }),
    [list, page],
  );
  return {
    ...loading,
    open: (next) => setShown({ list, page: next === null ? path : checkPath(next) }),
  };
}

interface PageButtonsProps<Item> {
  readonly of: Paged<Item>;
}

/** Buttons for the pages before and after; none where there is only one page. */
export function PageButtons<Item>({ of: { data, open } }: PageButtonsProps<Item>) {
  if (data === undefined || (data.prev === null && data.next === null)) return null;
  return (
    <div class="actions">
      <button type="button" disabled={data.prev === null} onClick={() => open(data.prev)}>
        Previous page
      </button>
      <button type="button" disabled={data.next === null} onClick={() => open(data.next)}>
        Next page
      </button>
    </div>
  );
}
