/**
 * Owner and instance that a turn counts for: turns are shared between owners, and between the instances of one owner.
 */
export interface Share {
  readonly owner: string;
  readonly instance: string;
}

/**
 * Returns the share of an instance.
 *
 * @param owner id of the account that owns it; undefined: unknown, it counts as a separate owner
 */
export function shareOf(instance: number, owner: number | undefined): Share {
  return {
    owner: owner === undefined ? `instance ${instance}` : `account ${owner}`,
    instance: String(instance),
  };
}

/** An entry of a queue. */
export interface Queued extends Share {
  /** Precedes all entries of its instance that are not urgent; absent: false. */
  readonly isUrgent?: boolean | undefined;
}

/** A queue in which owners take turns, then instances of an owner; within an instance the oldest is first. */
export interface FairQueue<Entry extends Queued> {
  readonly size: number;
  /** Owners with an entry. */
  readonly owners: number;
  add(entry: Entry): void;
  /**
   * Finds the entry whose turn is next, and leaves it in the queue. An entry without room keeps its position.
   *
   * @param hasRoom whether a share may have a turn; absent: all may
   * @param mayEnter whether an entry of such a share may; absent: all may
   */
  first(
    hasRoom?: (share: Share) => boolean,
    mayEnter?: (entry: Entry) => boolean,
  ): Entry | undefined;
  /** Removes an entry; the order of turns does not change. */
  remove(entry: Entry): void;
  /** Counts a turn: owner and instance move behind all others that wait. */
  countTurn(share: Share): void;
}

const always = () => true;

export function createFairQueue<Entry extends Queued>(): FairQueue<Entry> {
  // both maps are in the order of turns
  const owners = new Map<string, Map<string, Entry[]>>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    get owners() {
      return owners.size;
    },
    add: (entry) => {
      const instances = owners.get(entry.owner) ?? new Map<string, Entry[]>();
      owners.set(entry.owner, instances);
      const entries = instances.get(entry.instance) ?? [];
      instances.set(entry.instance, entries);
      const at = entry.isUrgent === true ? entries.findIndex((one) => one.isUrgent !== true) : -1;
      entries.splice(at < 0 ? entries.length : at, 0, entry);
      size += 1;
    },
    first: (hasRoom = always, mayEnter = always) => {
      for (const instances of owners.values()) {
        for (const entries of instances.values()) {
          const found = firstIn(entries, hasRoom, mayEnter);
          if (found !== undefined) return found;
        }
      }
      return undefined;
    },
    remove: (entry) => {
      const { owner, instance } = entry;
      const instances = owners.get(owner);
      const entries = instances?.get(instance);
      const at = entries?.indexOf(entry) ?? -1;
      if (instances === undefined || entries === undefined || at < 0) return;
      entries.splice(at, 1);
      size -= 1;
      if (entries.length === 0) instances.delete(instance);
      if (instances.size === 0) owners.delete(owner);
    },
    countTurn: ({ owner, instance }) => {
      const instances = owners.get(owner);
      if (instances === undefined) return;
      toEnd(owners, owner, instances);
      const entries = instances.get(instance);
      if (entries !== undefined) toEnd(instances, instance, entries);
    },
  };
}

/** Returns the first of an instance's entries that may have a turn. */
function firstIn<Entry extends Queued>(
  entries: readonly Entry[],
  hasRoom: (share: Share) => boolean,
  mayEnter: (entry: Entry) => boolean,
): Entry | undefined {
  const [oldest] = entries;
  return oldest !== undefined && hasRoom(oldest) ? entries.find(mayEnter) : undefined;
}

function toEnd<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
}
