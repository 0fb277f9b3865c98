import { isJsonObject } from '../../../values/json/json.ts';
import type { PageHints } from '../../routing/page-hints.ts';
import { type Html, html } from '../html.ts';
import { isPageOfResults, renderJson } from '../json.ts';
import { renderContents } from './contents.ts';
import { renderDetails } from './details.ts';
import { renderTable } from './table.ts';

/**
 * Renders a response as people read it, with its JSON folded; values of another form only as JSON, and of what has a
 * table of contents that alone.
 */
export function renderBody(body: unknown, title: string, hints: PageHints | undefined): Html {
  const contents = hints?.contents?.(body);
  if (contents !== undefined) return renderContents(contents);
  const json = renderJson(body);
  const view = renderView(body, title, hints);
  const raw = html`<pre id="json" aria-label="JSON" role="region">${json}</pre>`;
  if (view === undefined) return raw;
  return html`${view}
<details class="fold"><summary>JSON</summary>
${raw}</details>`;
}

function renderView(body: unknown, title: string, hints: PageHints | undefined) {
  if (isPageOfResults(body)) return renderTable(body.objects, title, hints);
  return isJsonObject(body) ? renderDetails(body, hints) : undefined;
}
