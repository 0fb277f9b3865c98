import type { Filter } from '../parameters.ts';
import { display, type Value } from '../values.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '\\': '&#92;',
};

/** Escapes text for HTML, including backslashes, as stored templates expect. */
export function escapeHtml(text: string): string {
  return text.replace(/[&"'<>\\]/g, (character) => entities[character] ?? character);
}

function plain(run: (text: string) => string): Filter {
  return { parameters: [], run: (value) => run(display(value)) };
}

/** Converts a number or string to a size. Empty and zero mean `standard`; NaN means not a number. */
export function readSize(value: Value | undefined, standard: number): number {
  const size = value || standard;
  return typeof size === 'object' ? Number.NaN : Number(size);
}

/** Returns `count` spaces, rounded up. */
function spaces(count: number): string {
  return count > 0 ? ' '.repeat(Math.ceil(count)) : '';
}

function capitalize(text: string): string {
  const lower = text.toLowerCase();
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** Centers text; an odd space is added on the right. */
function center(text: string, width: number): string {
  const padding = width - text.length;
  return padding > 0 ? spaces(Math.floor(padding / 2)) + text + spaces(padding / 2) : text;
}

function indent(text: string, margin: string, isFirstIndented: boolean): string {
  if (text === '') return '';
  return (isFirstIndented ? margin : '') + text.replaceAll('\n', `\n${margin}`);
}

function replace(text: string, old: string, replacement: string, maxCount: number): string {
  if (old === '') return replacement + text.split('').join(replacement) + replacement;
  const parts: string[] = [];
  let start = 0;
  for (let count = 0; count < maxCount; count += 1) {
    const found = text.indexOf(old, start);
    if (found < 0) break;
    parts.push(text.slice(start, found));
    start = found + old.length;
  }
  return [...parts, text.slice(start)].join(replacement);
}

/** Removes tags and comments, and collapses spaces. */
function stripTags(text: string): string {
  const tags = /<\/?[a-z][a-z0-9]*\b[^>]*>|<!--[\s\S]*?-->/gi;
  return text.replace(tags, '').trim().replace(/\s+/g, ' ');
}

const email = /^[\w.!#$%&'*+\-/=?^`{|}~]+@[a-z\d-]+(?:\.[a-z\d-]+)+$/i;

/** Returns the link target of a word; undefined when the word is not an address. */
function linkOf(word: string): string | undefined {
  if (/^https?:\/\//.test(word)) return word;
  if (/^www\./.test(word)) return `http://${word}`;
  if (email.test(word)) return `mailto:${word}`;
  return /\.(?:org|net|com)(?::|\/|$)/.test(word) ? `http://${word}` : undefined;
}

/** Replaces addresses with links that show up to `limit` characters. */
function linkAddresses(text: string, limit: number, relation: string): string {
  return text.replace(/\S+/g, (word) => {
    const address = /^(?:\(|<|&lt;)?(.*?)(?:\.|,|\)|&gt;)?$/.exec(word)?.[1] ?? word;
    const link = linkOf(address);
    if (link === undefined) return word;
    if (link.startsWith('mailto:')) return `<a href="${link}">${address}</a>`;
    return `<a href="${link}"${relation}>${address.substring(0, limit)}</a>`;
  });
}

const escaped = plain(escapeHtml);

/** Filters that convert the value to a string and return a string. */
export const textFilters: Readonly<Record<string, Filter>> = {
  capitalize: plain(capitalize),
  center: {
    parameters: ['width'],
    run: (value, { width }) => center(display(value), readSize(width, 80)),
  },
  e: escaped,
  escape: escaped,
  forceescape: escaped,
  indent: {
    parameters: ['width', 'indentfirst'],
    run: (value, { width, indentfirst }) =>
      indent(display(value), spaces(readSize(width, 4)), Boolean(indentfirst)),
  },
  lower: plain((text) => text.toLowerCase()),
  replace: {
    parameters: ['old', 'new', 'count'],
    run: (value, { old = '', new: replacement = '', count = -1 }) => {
      const maxCount = count === -1 ? Number.POSITIVE_INFINITY : readSize(count, 0);
      return replace(display(value), display(old), display(replacement), maxCount);
    },
  },
  striptags: plain(stripTags),
  title: plain((text) => text.split(' ').map(capitalize).join(' ')),
  trim: plain((text) => text.trim()),
  upper: plain((text) => text.toUpperCase()),
  urlize: {
    parameters: ['trim_url_limit', 'nofollow'],
    run: (value, { trim_url_limit: limit, nofollow }) => {
      const shown = limit === undefined ? Number.POSITIVE_INFINITY : readSize(limit, 0);
      return linkAddresses(display(value), shown, nofollow === true ? ' rel="nofollow"' : '');
    },
  },
};
