import type { TextLookup } from './conditions.ts';

/** Lookup in text. */
export interface TextQuestion {
  readonly lookup: TextLookup;
  readonly text: string;
  readonly ignoresCase: boolean;
}

/** Returns a function that checks whether a text matches a lookup (docs/reference/queries.md#lookups-by-type). */
export function textMatcher({
  lookup,
  text,
  ignoresCase,
}: TextQuestion): (text: string) => boolean {
  const matches = plainMatcher(lookup, ignoresCase ? lowerCase(text) : text);
  return ignoresCase ? (found) => matches(lowerCase(found)) : matches;
}

/**
 * Converts to lower case. Both forms of the small sigma are one letter, otherwise the case of a word would depend on
 * where it is cut.
 */
function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

function plainMatcher(lookup: TextLookup, wanted: string): (text: string) => boolean {
  switch (lookup) {
    case 'startswith':
      return (text) => text.startsWith(wanted);
    case 'endswith':
      return (text) => text.endsWith(wanted);
    case 'contains':
      return (text) => text.includes(wanted);
    case 'eq':
      return (text) => text === wanted;
    case 'like': {
      const pattern = parsePattern(wanted);
      const literals = literalsOf(pattern);
      return (text) => holdsAll(text, literals) && matchesPattern(pattern, Array.from(text));
    }
  }
}

const anyRun = Symbol('any run');
const anyOne = Symbol('any one');
type Part = string | typeof anyRun | typeof anyOne;

/** Parses a pattern: `%` is any run of characters, `_` any one; a backslash escapes the next character. */
function parsePattern(pattern: string): readonly Part[] {
  const parts: Part[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '%') parts.push(anyRun);
    else if (character === '_') parts.push(anyOne);
    else if (character === '\\') parts.push(characters[++at] ?? character);
    else parts.push(character);
  }
  return parts;
}

/** Returns the texts between the wildcards of a pattern, in their order. */
function literalsOf(parts: readonly Part[]): readonly string[] {
  const literals = [''];
  for (const part of parts) {
    if (typeof part === 'string') literals.push((literals.pop() ?? '') + part);
    else if (literals.at(-1) !== '') literals.push('');
  }
  return literals.filter((literal) => literal !== '');
}

/** Checks whether a text has these parts in this order: far cheaper than matching the pattern. */
function holdsAll(text: string, literals: readonly string[]): boolean {
  let from = 0;
  for (const literal of literals) {
    const at = text.indexOf(literal, from);
    if (at < 0) return false;
    from = at + literal.length;
  }
  return true;
}

/** Returns the text before the first wildcard of a pattern: a prefix of all matches. */
export function patternPrefix(pattern: string): string {
  const parts = parsePattern(pattern);
  const end = parts.findIndex((part) => typeof part !== 'string');
  return (end === -1 ? parts : parts.slice(0, end)).join('');
}

/**
 * Checks whether a pattern matches a whole text. Backtracks to the last run only, which is sufficient and keeps the
 * time below the product of both lengths: a regular expression would take ages with many runs.
 */
function matchesPattern(parts: readonly Part[], text: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let lastRun = -1;
  let runEnd = 0;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === anyRun) {
      lastRun = part++;
      runEnd = at;
    } else if (wanted !== undefined && (wanted === anyOne || wanted === text[at])) {
      part += 1;
      at += 1;
    } else if (lastRun >= 0) {
      part = lastRun + 1;
      at = ++runEnd;
    } else {
      return false;
    }
  }
  while (parts[part] === anyRun) part += 1;
  return part === parts.length;
}
