import { isJsonObject, type Json, type JsonObject } from '../../../values/json/json.ts';
import type { PageHints } from '../../routing/page-hints.ts';
import { attributes, type Html, html } from '../html.ts';
import { memberOf, segmentOf, selfOf, sortMembers } from './members.ts';
import { renderCell } from './value.ts';

const maxColumns = 12;

/**
 * Renders the items of a list as a table: their own fields, and folded below it those of the system. Undefined: they
 * are no objects.
 *
 * @param title of the list
 */
export function renderTable(
  items: readonly Json[],
  title: string,
  hints: PageHints | undefined,
): Html | undefined {
  if (items.length === 0) return html`<p>There is nothing here.</p>`;
  const rows = items.filter(isJsonObject);
  if (rows.length < items.length) return undefined;
  const key = keyOf(rows);
  const { own, system } = sortMembers(rows.flatMap((row) => Object.keys(row)));
  const others = own.filter((name) => name !== key);
  const hidden = others.slice(maxColumns - 1);
  const columns = others.slice(0, maxColumns - 1);
  const shared = { rows, key, hints };
  return html`${renderRows({ ...shared, title, columns })}
${hidden.length > 0 && html`<p class="hint">Further columns, in the JSON: ${hidden.join(', ')}.</p>`}
${
  system.length > 0 &&
  html`<details class="fold"><summary>System fields</summary>
${renderRows({ ...shared, title: 'System fields', columns: system })}</details>`
}`;
}

interface Rows {
  readonly rows: readonly JsonObject[];
  /** Name of the first column; undefined when no field names an item. */
  readonly key: string | undefined;
  readonly hints: PageHints | undefined;
  readonly title: string;
  readonly columns: readonly string[];
}

/** Finds the field by which an item is named in its path: its column comes first, with links to the items. */
function keyOf([first = {}]: readonly JsonObject[]): string | undefined {
  const self = selfOf(first);
  if (self === undefined) return undefined;
  const segment = segmentOf(self);
  return Object.keys(first).find((name) => String(first[name]) === segment);
}

function renderRows({ rows, key, hints, title, columns }: Rows): Html {
  const isLinked = key !== undefined || rows.some((row) => selfOf(row) !== undefined);
  const header = isLinked && html`<th scope="col">${key ?? 'item'}</th>`;
  const lines = rows.map((row) => {
    const cells = columns.map(
      (name) => html`<td>${renderCell({ value: memberOf(row, name), hints })}</td>`,
    );
    return html`<tr>${isLinked && renderRowHeader(row, key)}${cells}</tr>\n`;
  });
  return html`<div class="wide" tabindex="0" role="region"${attributes({ 'aria-label': title })}><table class="rows">
<thead><tr>${header}${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${lines}</tbody></table></div>`;
}

function renderRowHeader(row: JsonObject, key: string | undefined): Html {
  const self = selfOf(row);
  const text =
    key === undefined
      ? segmentOf(self ?? '')
      : renderCell({ value: memberOf(row, key), hints: undefined });
  return html`<th scope="row">${self === undefined ? text : html`<a href="${self}">${text}</a>`}</th>`;
}
