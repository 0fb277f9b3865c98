import { isJsonObject, type Json } from '../../values/json/json.ts';
import { versions } from '../resource/versions.ts';
import { escapeHtml } from './html.ts';

const maxColoured = 400_000; // characters; a longer text would become several times as long
const ours = new RegExp(`^/(${versions.join('|').replaceAll('.', '\\.')})/[^\\s\\\\]*$`);

/**
 * A JSON value as indented HTML with its parts marked for colours. Paths in `links`, `next` and `prev` are links to
 * follow; everything else is text, whatever it looks like. A very long value stays plain.
 */
export function renderJson(body: unknown): string {
  const text = JSON.stringify(body, null, 2);
  if (text.length > maxColoured) return escapeHtml(text);
  const value: Json = JSON.parse(text);
  if (!isPageOfResults(value)) return render(value, '', false);
  return renderObject(value, '', (name) => name === 'next' || name === 'prev');
}

/** Tells whether a body is one page of a list. */
export function isPageOfResults(
  body: unknown,
): body is { readonly objects: Json; readonly next: Json; readonly prev: Json } {
  return isJsonObject(body) && Array.isArray(body.objects) && 'next' in body && 'prev' in body;
}

/** Tells whether a text is a path of the interface: with it no other host can be meant, and no script. */
export function isOurPath(text: unknown): text is string {
  return typeof text === 'string' && ours.test(text);
}

function render(value: Json, indent: string, isLink: boolean): string {
  if (Array.isArray(value)) return renderList(value, indent);
  if (isJsonObject(value)) {
    return renderObject(value, indent, (name) => isLink || name === 'links');
  }
  if (typeof value === 'string') return renderText(value, isLink);
  return `<span class="${typeof value === 'number' ? 'n' : 'w'}">${value}</span>`;
}

function renderList(values: readonly Json[], indent: string): string {
  if (values.length === 0) return '[]';
  const deeper = `${indent}  `;
  const lines = values.map((value) => deeper + render(value, deeper, false));
  return `[\n${lines.join(',\n')}\n${indent}]`;
}

function renderObject(
  value: { readonly [name: string]: Json },
  indent: string,
  isLink: (name: string) => boolean,
): string {
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  const deeper = `${indent}  `;
  const lines = members.map(([name, member]) => {
    const key = `<span class="k">${escapeHtml(JSON.stringify(name))}</span>`;
    return `${deeper}${key}: ${render(member, deeper, isLink(name))}`;
  });
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

function renderText(value: string, isLink: boolean): string {
  const text = escapeHtml(JSON.stringify(value));
  if (!isLink || !isOurPath(value)) return `<span class="s">${text}</span>`;
  return `<span class="s">&quot;<a href="${escapeHtml(value)}">${escapeHtml(value)}</a>&quot;</span>`;
}
