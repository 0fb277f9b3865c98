const quote = 34;
const comma = 44;
const backslash = 92;
const openList = 91;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/**
 * Reads the members of an object from its JSON text, one by one, without parsing their values. The text must be as
 * `JSON.stringify` writes it, without spaces.
 *
 * @example const members = new MemberReader('{"a":1}', 1); while (members.next()) use(members.name, members.value);
 */
export class MemberReader {
  readonly #text: string;
  #at: number;
  #nameAt = 0;
  #valueAt = 0;

  /** @param at position after the brace that opens the object */
  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Goes to the next member; returns false after the last one. */
  next(): boolean {
    const text = this.#text;
    const at = text.charCodeAt(this.#at) === comma ? this.#at + 1 : this.#at;
    if (text.charCodeAt(at) !== quote) return false;
    this.#nameAt = at + 1;
    this.#valueAt = stringEnd(text, at) + 1;
    this.#at = valueEnd(text, this.#valueAt);
    return true;
  }

  /** Name of the member, as it is written: escapes stay. */
  get name(): string {
    return this.#text.slice(this.#nameAt, this.#valueAt - 2);
  }

  /** JSON of its value. */
  get value(): string {
    return this.#text.slice(this.#valueAt, this.#at);
  }
}

/** Returns the JSON of the value that begins at a position. */
export function valueAt(text: string, at: number): string {
  return text.slice(at, valueEnd(text, at));
}

/** Returns the position after the text that begins with a quote at `at`. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1; // an even number of backslashes escape each other
  }
  throw new Error('a text in JSON does not end');
}

/** Returns the position after the value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (let end = at; end < text.length; end += 1) {
    switch (text.charCodeAt(end)) {
      case quote:
        end = stringEnd(text, end) - 1;
        break;
      case openList:
      case openObject:
        depth += 1;
        break;
      case closeList:
      case closeObject:
        if (depth === 0) return end;
        depth -= 1;
        break;
      case comma:
        if (depth === 0) return end;
        break;
    }
  }
  throw new Error('an object in JSON does not end');
}
