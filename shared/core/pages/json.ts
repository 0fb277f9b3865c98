import { ExactNumber, parseExactJson, writeExactJson } from '../../values/json/exact-number.ts';
import { isJsonObject, type Json } from '../../values/json/json.ts';
import { pageIndent } from '../http/negotiation.ts';
import { versions } from '../routing/versions.ts';
import { type Html, html } from './html.ts';

const maxColoured = 400_000; // characters; colours make the text several times as long
const pathPattern = new RegExp(`^/(${versions.join('|').replaceAll('.', '\\.')})/[^\\s\\\\]*$`);

/**
 * Renders a JSON value as indented, coloured HTML. Paths in `links`, `next` and `prev` become links; all other values
 * are text. A very long value is not coloured.
 */
export function renderJson(body: unknown): Html | string {
  const text = writeExactJson(body, pageIndent);
  if (text.length > maxColoured) return text;
  const value: Json = parseExactJson(text) as Json; // a large number is shown as it is
  if (!isPageOfResults(value)) return render(value, '\n', false);
  return renderObject(value, '\n', (name) => name === 'next' || name === 'prev');
}

/** Checks whether a body is one page of a list. */
export function isPageOfResults(
  body: unknown,
): body is { readonly objects: readonly Json[]; readonly next: Json; readonly prev: Json } {
  return isJsonObject(body) && Array.isArray(body.objects) && 'next' in body && 'prev' in body;
}

/** Checks whether a text is a path of the interface, which excludes other hosts and `javascript:` URLs. */
export function isApiPath(text: unknown): text is string {
  return typeof text === 'string' && pathPattern.test(text);
}

/** @param indent a line break and the indentation of the line on which the value starts */
function render(value: Json, indent: string, isLink: boolean): Html | string {
  if (Array.isArray(value)) return renderList(value, indent);
  if (isJsonObject(value)) {
    return renderObject(value, indent, (name) => isLink || name === 'links');
  }
  if (typeof value === 'string') return renderText(value, isLink);
  const isNumber = typeof value === 'number' || value instanceof ExactNumber;
  return html`<span class="${isNumber ? 'n' : 'w'}">${String(value)}</span>`;
}

function renderList(values: readonly Json[], indent: string): Html | string {
  if (values.length === 0) return '[]';
  const deeper = `${indent}  `;
  const lines = values.map(
    (value, at) => html`${at > 0 && ','}${deeper}${render(value, deeper, false)}`,
  );
  return html`[${lines}${indent}]`;
}

function renderObject(
  value: { readonly [name: string]: Json },
  indent: string,
  isLink: (name: string) => boolean,
): Html | string {
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  const deeper = `${indent}  `;
  const lines = members.map(([name, member], at) => {
    const key = html`<span class="k">${JSON.stringify(name)}</span>`;
    return html`${at > 0 && ','}${deeper}${key}: ${render(member, deeper, isLink(name))}`;
  });
  return html`{${lines}${indent}}`;
}

function renderText(value: string, isLink: boolean): Html {
  if (!isLink || !isApiPath(value)) return html`<span class="s">${JSON.stringify(value)}</span>`;
  return html`<span class="s">&quot;<a href="${value}">${value}</a>&quot;</span>`;
}
