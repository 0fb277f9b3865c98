import type { Json } from '../../../values/json/json.ts';
import { type Html, html } from '../html.ts';
import { isApiPath, isPageOfResults } from '../json.ts';

/** Returns a function that renders the links to the previous and next page; undefined for other bodies. */
export function renderPager(body: unknown): (label: string) => Html | undefined {
  if (!isPageOfResults(body)) return () => undefined;
  const { prev, next } = body;
  const button = (path: Json, rel: string, text: string) =>
    isApiPath(path) ? [html`<a class="button" rel="${rel}" href="${path}">${text}</a>`] : [];
  const buttons = [
    ...button(prev, 'prev', '← Previous page'),
    ...button(next, 'next', 'Next page →'),
  ];
  return (label) =>
    buttons.length === 0
      ? undefined
      : html`<nav class="pages" aria-label="${label}">${buttons}</nav>`;
}
