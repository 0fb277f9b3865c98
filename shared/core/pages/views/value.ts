import { isJsonObject, type Json, type JsonObject } from '../../../values/json/json.ts';
import type { PageHints } from '../../routing/page-hints.ts';
import { attributes, type Html, html } from '../html.ts';
import { renderJson } from '../json.ts';

const maxCell = 200; // characters; the page of the item shows all

/** A value of a field, and what is known about where it comes from. */
export interface ShownValue {
  readonly value: Json | undefined;
  readonly hints: PageHints | undefined;
}

/** Renders a value in a cell of a table: on few lines, cut when it is long. */
export function renderCell({ value, hints }: ShownValue): Html | string {
  const linked = renderTyped(value, hints);
  if (linked !== undefined) return linked;
  return cut(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Renders a value in full. */
export function renderValue({ value, hints }: ShownValue): Html | string {
  if (value === undefined || value === null) return html`<span class="hint">not set</span>`;
  if (value === '') return html`<span class="hint">empty</span>`;
  const linked = renderTyped(value, hints);
  if (linked !== undefined) return linked;
  if (typeof value !== 'object') return html`<span class="text">${String(value)}</span>`;
  return html`<div class="code text">${renderJson(value)}</div>`;
}

/** Renders nothing for no value, and values with a type as people read them; undefined: any other value. */
function renderTyped(value: Json | undefined, hints: PageHints | undefined) {
  if (value === undefined || value === null) return '';
  return isJsonObject(value) ? renderTypedObject(value, hints) : undefined;
}

/** The type is that of a field, or what a client wrote into an object: it is not trusted. */
function renderTypedObject(object: JsonObject, hints: PageHints | undefined) {
  const { type, value, target, longitude, latitude } = object;
  switch (type) {
    case 'datetime':
      return typeof value === 'string' ? cut(value) : undefined;
    case 'file':
      return isAddress(value) ? renderFile(value) : undefined;
    case 'reference':
    case 'relation':
      return typeof target === 'string' ? renderReferences({ target, value, hints }) : undefined;
    case 'geopoint':
      return typeof longitude === 'number' && typeof latitude === 'number'
        ? `${latitude}, ${longitude}`
        : undefined;
    default:
      return undefined;
  }
}

/** Renders a link that the browser follows by itself, in a new tab: a file is no page. */
function renderFile(address: string): Html {
  return html`<a rel="external noreferrer" target="_blank" href="${address}">Open the file</a>`;
}

interface References {
  readonly target: string;
  readonly value: Json | undefined;
  readonly hints: PageHints | undefined;
}

const maxReferences = 20; // of one relation; its JSON has all

function renderReferences({ target, value, hints }: References): Html | undefined {
  const ids = Array.isArray(value) ? value : [value];
  if (hints?.listOf === undefined || !ids.every((id) => Number.isInteger(id))) return undefined;
  const list = hints.listOf(target);
  const links = ids.slice(0, maxReferences).map((id, at) => {
    const link = attributes({ href: `${list}${id}/` });
    return html`${at > 0 && ', '}<a${link}>${target} ${Number(id)}</a>`;
  });
  return html`${links}${ids.length > maxReferences && ` and ${ids.length - maxReferences} more`}`;
}

function isAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s\\]+$/.test(value);
}

function cut(text: string): string {
  if (text.length <= maxCell) return text;
  return `${text.slice(0, maxCell).replace(/[\ud800-\udbff]$/, '')}…`; // no half of a pair
}
