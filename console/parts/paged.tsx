import { useState } from 'preact/hooks';
import { checkPath, type RequestPath } from '../../shared/values/text/request-path.ts';
import { type ApiPage, send } from '../core/api.ts';
import { type LoadState, useLoad } from '../core/load.ts';
import type { ApiRequest, Parameters } from '../core/request.ts';
import { Button } from './button.tsx';

/** A list of which one page is shown: its data are the records of that page. */
export interface Paged<Item> extends LoadState<readonly Item[]> {
  readonly pages: {
    readonly prev: string | null;
    readonly next: string | null;
    /** Opens a page by its link; null: the first one, as it is now. */
    readonly open: (page: string | null) => void;
  };
}

/**
 * Loads a list page by page; another path or query begins at the first page.
 *
 * @param read sends the request for a page
 */
export function usePages<Item>(
  path: RequestPath,
  query: Parameters = {},
  read: (request: ApiRequest) => Promise<ApiPage<Item>> = send,
): Paged<Item> {
  const list = JSON.stringify([path, query]);
  const [shown, setShown] = useState({ list, page: path });
  const page = shown.list === list ? shown.page : path;
  const { data, ...loading } = useLoad<ApiPage<Item>>(
    (signal) => read({ method: 'GET', path: page, query, signal }),
    [list, page],
  );
  const { prev = null, next = null } = data ?? {};
  return {
    ...loading,
    data: data?.objects,
    pages: {
      prev,
      next,
      open: (other) => {
        if (other === null && page === path) loading.reload();
        else setShown({ list, page: other === null ? path : checkPath(other) });
      },
    },
  };
}

interface PageButtonsProps<Item> {
  readonly of: Paged<Item>;
  /** Labels of the buttons. */
  readonly texts?: readonly [prev: string, next: string];
  /** Shows them also where there is only one page. */
  readonly isAlwaysShown?: boolean;
}

/** Buttons for the pages before and after; none where there is only one page. */
export function PageButtons<Item>(props: PageButtonsProps<Item>) {
  const { texts = ['Previous page', 'Next page'], isAlwaysShown } = props;
  const { prev, next, open } = props.of.pages;
  if (prev === null && next === null && !isAlwaysShown) return null;
  return (
    <div class="actions pages">
      <Button disabled={prev === null} onAct={() => open(prev)} text={texts[0]} />
      <Button disabled={next === null} onAct={() => open(next)} text={texts[1]} />
    </div>
  );
}
