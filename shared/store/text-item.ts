import type { BodyText } from '../values/json/body-text.ts';
import type { Json } from '../values/json/json.ts';
import type { Key, Stored } from './store.ts';

/** Values other than its data that the body of an item depends on. */
export interface Shape {
  /** For example a class in one of its revisions; never changes. */
  readonly form: object;
  /** Path of the list that contains the item: links begin with it. */
  readonly list: string;
}

/** Reads a value from the JSON that begins at a position of a text. */
type Read = (text: string, name: string, at: number) => Json | undefined;

/**
 * An item whose data are parsed when they are first used: many are only compared, or shown from their text. Copies with
 * other data have nothing of the text: it is private.
 */
export class TextItem implements Stored {
  readonly key: Key;
  readonly kind: string;
  readonly version: string;
  readonly #text: string;
  readonly #at: number;
  #isShared = false;
  #data: object | undefined;
  #form: object | undefined;
  #list = '';
  #body: BodyText | undefined;
  #known: KnownValue | undefined;

  /** @param at position where the JSON of the data begins, to the end of `text`: a part of it is slower to search */
  constructor({ key, kind, version }: Omit<Stored, 'data'>, text: string, at = 0) {
    this.key = key;
    this.kind = kind;
    this.version = version;
    this.#text = text;
    this.#at = at;
  }

  get data(): object {
    this.#data ??= JSON.parse(this.#text.slice(this.#at)) as object; // data of a put is an object
    return this.#data;
  }

  /** Text that ends with the JSON of the data. */
  get text(): string {
    return this.#text;
  }

  /** Position in the text where that JSON begins. */
  get at(): number {
    return this.#at;
  }

  get isParsed(): boolean {
    return this.#data !== undefined;
  }

  /** Notes that it stays in a cache, where later requests find it: only then what is made of it is worth its memory. */
  share(): void {
    this.#isShared = true;
  }

  /** Returns its body in a shape if that was made last, and the item is shared. */
  bodyIn({ form, list }: Shape): BodyText | undefined {
    return this.#form === form && this.#list === list ? this.#body : undefined;
  }

  /** Keeps a body for as long as the item, if that is shared. */
  keepBody({ form, list }: Shape, body: BodyText): void {
    if (!this.#isShared) return;
    this.#form = form;
    this.#list = list;
    this.#body = body;
  }

  /** Returns what `read` finds in the text under a name; it is called once for each. */
  value(name: string, read: Read): Json | undefined {
    for (let each = this.#known; each !== undefined; each = each.next)
      if (each.name === name) return each.value;
    const value = read(this.#text, name, this.#at);
    this.#known = new KnownValue(name, value, this.#known);
    return value;
  }
}

/** A value that was read, and the one before: filters and orders name few. */
class KnownValue {
  readonly name: string;
  readonly value: Json | undefined;
  readonly next: KnownValue | undefined;

  constructor(name: string, value: Json | undefined, next: KnownValue | undefined) {
    this.name = name;
    this.value = value;
    this.next = next;
  }
}
