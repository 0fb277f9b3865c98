import type { Filter } from '../parameters.ts';
import { display, type Value } from '../values.ts';

/* Filters of texts. */

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '\\': '&#92;',
};

/** Escapes a text for HTML; backslashes too, as pages that are stored expect. */
export function escapeHtml(text: string): string {
  return text.replace(/[&"'<>\\]/g, (character) => entities[character] ?? character);
}

function plain(run: (text: string) => string): Filter {
  return { parameters: [], run: (value) => run(display(value)) };
}

/** Reads a size, given as a number or text; empty and zero mean `standard`. NaN: not a number. */
export function sizeOf(value: Value | undefined, standard: number): number {
  const size = value || standard;
  return typeof size === 'object' ? Number.NaN : Number(size);
}

/** Returns spaces; a fraction counts as one. */
function spaces(count: number): string {
  return count > 0 ? ' '.repeat(Math.ceil(count)) : '';
}

function capitalize(text: string): string {
  const lower = text.toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** Centers a text; an odd space goes after it. */
function center(text: string, width: number): string {
  const missing = width - text.length;
  return missing > 0 ? spaces(Math.floor(missing / 2)) + text + spaces(missing / 2) : text;
}

function indent(text: string, margin: string, isFirstIndented: boolean): string {
  if (text === '') return '';
  return (isFirstIndented ? margin : '') + text.replaceAll('\n', `\n${margin}`);
}

function replace(text: string, old: string, by: string, most: number): string {
  if (old === '') return by + text.split('').join(by) + by;
  const parts: string[] = [];
  let start = 0;
  for (let count = 0; count < most; count += 1) {
    const found = text.indexOf(old, start);
    if (found < 0) break;
    parts.push(text.slice(start, found));
    start = found + old.length;
  }
  return [...parts, text.slice(start)].join(by);
}

/** Removes tags and comments, and collapses spaces. */
function stripTags(text: string): string {
  const tags = /<\/?[a-z][a-z0-9]*\b[^>]*>|<!--[\s\S]*?-->/gi;
  return text.replace(tags, '').trim().replace(/\s+/g, ' ');
}

const email = /^[\w.!#$%&'*+\-/=?^`{|}~]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/i;

/** Returns the address that a word links to; undefined when it is not an address. */
function linkOf(word: string): string | undefined {
  if (/^https?:\/\//.test(word)) return word;
  if (/^www\./.test(word)) return `http://${word}`;
  if (email.test(word)) return `mailto:${word}`;
  return /\.(?:org|net|com)(?::|\/|$)/.test(word) ? `http://${word}` : undefined;
}

/** Replaces addresses by links that show up to `limit` characters. */
function linkUp(text: string, limit: number, relation: string): string {
  return text.replace(/\S+/g, (word) => {
    const address = /^(?:\(|<|&lt;)?(.*?)(?:\.|,|\)|&gt;)?$/.exec(word)?.[1] ?? word;
    const link = linkOf(address);
    if (link === undefined) return word;
    if (link.startsWith('mailto:')) return `<a href="${link}">${address}</a>`;
    return `<a href="${link}"${relation}>${address.substring(0, limit)}</a>`;
  });
}

const escaped = plain(escapeHtml);

/** Filters from text to text. */
export const textFilters: Readonly<Record<string, Filter>> = {
  capitalize: plain(capitalize),
  center: {
    parameters: ['width'],
    run: (value, { width }) => center(display(value), sizeOf(width, 80)),
  },
  e: escaped,
  escape: escaped,
  forceescape: escaped,
  indent: {
    parameters: ['width', 'indentfirst'],
    run: (value, { width, indentfirst }) =>
      indent(display(value), spaces(sizeOf(width, 4)), Boolean(indentfirst)),
  },
  lower: plain((text) => text.toLowerCase()),
  replace: {
    parameters: ['old', 'new', 'count'],
    run: (value, { old = '', new: by = '', count = -1 }) => {
      const most = count === -1 ? Number.POSITIVE_INFINITY : sizeOf(count, 0);
      return replace(display(value), display(old), display(by), most);
    },
  },
  striptags: plain(stripTags),
  title: plain((text) => text.split(' ').map(capitalize).join(' ')),
  trim: plain((text) => text.trim()),
  upper: plain((text) => text.toUpperCase()),
  urlize: {
    parameters: ['trim_url_limit', 'nofollow'],
    run: (value, { trim_url_limit: limit, nofollow }) => {
      const shown = limit === undefined ? Number.POSITIVE_INFINITY : sizeOf(limit, 0);
      return linkUp(display(value), shown, nofollow === true ? ' rel="nofollow"' : '');
    },
  },
};
