import type { Route } from '../../routing/route.ts';

/** Returns the noun of a route in plain English: `API key`. Without a noun it is the resource in lower case. */
export function nounOf({ noun, resource }: Pick<Route, 'noun' | 'resource'>): string {
  if (noun !== undefined) return noun;
  const isAcronym = (word: string) => word.length > 1 && word === word.toUpperCase();
  return wordsOf(resource)
    .map((word) => (isAcronym(word) ? word : word.toLowerCase()))
    .join(' ');
}

/** Returns the plural of a noun: `classes`. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Splits a text into its words, without punctuation. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
}
