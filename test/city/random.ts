/** A stream of numbers that a seed determines. */
export interface Random {
  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number;
  /** Returns an element of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Returns true with a probability of `share`, 0 to 1. */
  chance(share: number): boolean;
  /** Returns lower-case letters and digits. */
  word(length: number): string;
  bytes(length: number): Buffer;
  /** Derives an independent stream. Equal names give equal streams, regardless of earlier calls. */
  fork(name: string): Random;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Creates a stream of numbers from a seed (the algorithm is mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    integer,
    pick: (list) => {
      const [picked] = list.slice(integer(0, list.length - 1));
      if (picked === undefined) throw new Error('there is nothing to pick from');
      return picked;
    },
    chance: (share) => next() < share,
    word: (length) =>
      Array.from({ length }, () => alphabet[integer(0, alphabet.length - 1)]).join(''),
    bytes: (length) => Buffer.from(Array.from({ length }, () => integer(0, 255))),
    fork: (name) => createRandom(seed ^ hash(name)),
  };
}

/** Hashes a text to 32 bits (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text)
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
