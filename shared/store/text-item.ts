import type { BodyText } from '../values/json/body-text.ts';
import type { Json } from '../values/json/json.ts';
import type { Key, Stored } from './store.ts';

/** What was made of an item, with what shaped it. */
export interface ShownItem {
  /** For example a class in one of its revisions; never changes. */
  readonly form: object;
  /** Path of the list that contains the item: links begin with it. */
  readonly list: string;
  readonly body: BodyText;
}

/**
 * An item whose data are parsed when they are first used: many are only compared, or shown from their text. Copies with
 * other data have nothing of the text: it is private.
 */
export class TextItem implements Stored {
  readonly key: Key;
  readonly kind: string;
  readonly version: string;
  /** JSON of the data. */
  readonly #text: string;
  #data: object | undefined;
  #shown: ShownItem | undefined;
  #known: (string | Json | undefined)[] | undefined;

  constructor({ key, kind, version }: Omit<Stored, 'data'>, text: string) {
    this.key = key;
    this.kind = kind;
    this.version = version;
    this.#text = text;
  }

  get data(): object {
    this.#data ??= JSON.parse(this.#text) as object; // data of a put is an object
    return this.#data;
  }

  get text(): string {
    return this.#text;
  }

  get isParsed(): boolean {
    return this.#data !== undefined;
  }

  /** The body that was made of it last, kept for as long as the item. */
  get shown(): ShownItem | undefined {
    return this.#shown;
  }

  set shown(shown: ShownItem) {
    this.#shown = shown;
  }

  /** Returns what `read` finds in the text under a name; it is called once for each. */
  value(name: string, read: (text: string, name: string) => Json | undefined): Json | undefined {
    const known = this.#known; // name, value, name, value: of the few that a filter names
    if (known !== undefined) {
      for (let at = 0; at < known.length; at += 2) if (known[at] === name) return known[at + 1];
    }
    const value = read(this.#text, name);
    if (known === undefined) this.#known = [name, value];
    else known.push(name, value);
    return value;
  }
}
