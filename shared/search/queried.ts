import type { Stored } from '../store/store.ts';
import { TextItem } from '../store/text-item.ts';
import { idIn } from '../table/key-parts.ts';
import { readObjectValue } from '../table/records/object-text.ts';
import type { ObjectData } from '../table/records/records.ts';
import type { Json } from '../values/json/json.ts';
import type { QueriedObject } from './query/fields.ts';

/** An object as filters and orders use it: only the values that they name are parsed. */
class Queried implements QueriedObject {
  readonly #item: Stored<ObjectData>;

  constructor(item: Stored<ObjectData>) {
    this.#item = item;
  }

  get id(): number {
    return idIn(this.#item.key);
  }

  get created_at(): string {
    return this.#item.data.created_at;
  }

  get updated_at(): string {
    return this.#item.data.updated_at;
  }

  get revision(): number {
    return this.#item.data.revision;
  }

  get owner(): number | null {
    return this.#item.data.owner;
  }

  get group(): number | null {
    return this.#item.data.group;
  }

  get channel(): string | null {
    return this.#item.data.channel;
  }

  get channel_room(): string | null {
    return this.#item.data.channel_room;
  }

  value(storage: string): Json | undefined {
    const item = this.#item;
    if (!(item instanceof TextItem) || item.isParsed) return item.data.values[storage];
    return item.value(storage, readObjectValue);
  }
}

/** Returns an item as filters and orders use it. */
export function queriedObject(item: Stored<ObjectData>): QueriedObject {
  return new Queried(item);
}
