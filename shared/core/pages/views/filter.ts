import { isJsonObject, type Json } from '../../../values/json/json.ts';
import { lookupTexts } from '../../../values/queries/lookup-texts.ts';
import { keyParameters, queryValue } from '../../http/message.ts';
import type { QueryableField } from '../../routing/page-hints.ts';
import { attributes, type Html, html } from '../html.ts';

/** One condition of a query. */
interface Condition {
  readonly field: string;
  readonly lookup: string;
  readonly value: Json;
}

/**
 * Renders the form that filters and orders a list: a GET whose `query` the script writes. It shows the conditions of
 * the request, and an empty one.
 */
export function renderFilter(
  fields: readonly QueryableField[],
  path: string,
  query: URLSearchParams,
): Html {
  const conditions = readConditions(fields, query);
  const order = queryValue(query, 'order_by') ?? '';
  const size = queryValue(query, 'page_size') ?? '';
  const isUsed = conditions.length > 0 || order !== '' || size !== '';
  const rows = [...conditions, undefined].map((condition, at) =>
    renderCondition(fields, condition, at + 1),
  );
  const kept = [...query].filter(([name]) => !isOwn(name));
  return html`<details class="panel filter scripts"${attributes({ open: isUsed })}><summary>Filter and order</summary>
<form id="filter" method="get" action="${path}" autocomplete="off">
${kept.map(([name, value]) => html`<input type="hidden"${attributes({ name, value })}>`)}
<div class="conditions">${rows}</div>
<p class="hint">Several values have commas between them. Values that are objects are JSON.</p>
<div class="fields">
<div class="field"><label for="filter-order">Order</label><select id="filter-order" name="order_by">${renderOrders(fields, order)}</select></div>
<div class="field"><label for="filter-size">Page size</label><input id="filter-size" name="page_size" inputmode="numeric" placeholder="100"${attributes({ value: size })}></div>
</div>
<p class="buttons"><button class="main">Apply</button></p>
</form></details>`;
}

/** Checks whether the form sets a parameter, or drops it: a position in the old list, or a key. */
function isOwn(name: string): boolean {
  return ownParameters.includes(name) || keyParameters.includes(name);
}

const ownParameters = ['query', 'order_by', 'page_size', 'direction', 'last_pk', 'last_value'];
const maxConditions = 64; // of a query in an address, which may be long

/** Reads the conditions of all queries; of what cannot be read the response shows the error. */
function readConditions(
  fields: readonly QueryableField[],
  query: URLSearchParams,
): readonly Condition[] {
  return query
    .getAll('query')
    .flatMap((text) => Object.entries(parseObject(text)))
    .flatMap(([field, lookups]) =>
      Object.entries(isJsonObject(lookups) ? lookups : {}).map(([lookup, value]) => ({
        field,
        lookup,
        value,
      })),
    )
    .filter(({ field, lookup }) =>
      fields.some(({ name, lookups }) => name === field && lookups.includes(lookup)),
    )
    .slice(0, maxConditions);
}

function parseObject(text: string): { readonly [name: string]: Json } {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function renderCondition(
  fields: readonly QueryableField[],
  condition: Condition | undefined,
  number: number,
): Html {
  const choices = fields
    .filter(({ lookups }) => lookups.length > 0)
    .map((field) => {
      const options = field.lookups.map((lookup) => {
        const selected = condition?.field === field.name && condition.lookup === lookup;
        const kind = kindOf(field, lookup);
        const marks = { 'data-field': field.name, 'data-lookup': lookup, 'data-kind': kind };
        const text = `${field.name} ${lookupTexts[lookup] ?? lookup}${valueHints[lookup] ?? ''}`;
        return html`<option${attributes({ value: text, ...marks, selected })}>${text}</option>`;
      });
      return html`<optgroup label="${field.name}">${options}</optgroup>`;
    });
  return html`<div class="condition"><select aria-label="Condition ${number}"><option value="">(no condition)</option>${choices}</select>
<input aria-label="Value ${number}"${attributes({ value: textOf(condition?.value) })}></div>\n`;
}

/** Determines how the script reads a value. */
function kindOf({ isText }: QueryableField, lookup: string): string {
  if (lookup === '_in' || lookup === '_nin') return isText ? 'texts' : 'list';
  if (lookup === '_contains' && !isText) return 'list';
  return isText && lookup !== '_exists' ? 'text' : 'json';
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How a value is written for lookups whose names do not say it. */
const valueHints: Readonly<Record<string, string>> = {
  _exists: ' (true or false)',
  _is: ' (query)',
  _near: ' (point and distance)',
};

function renderOrders(fields: readonly QueryableField[], current: string): readonly Html[] {
  const names = fields.filter(({ isOrderable }) => isOrderable).map(({ name }) => name);
  const orders = names.flatMap((name): [string, string][] => [
    [name, name],
    [`-${name}`, `${name}, descending`],
  ]);
  return [['', 'oldest first'], ...orders].map(([value = '', text = '']) => {
    const marks = attributes({ value, selected: value === current });
    return html`<option${marks}>${text}</option>`;
  });
}
