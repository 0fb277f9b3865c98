/** Whose turn it is counted as: turns are taken between owners, and between the instances of one owner. */
export interface Share {
  readonly owner: string;
  readonly instance: string;
}

/** An entry of a queue. */
export interface Ticket<Value> {
  readonly share: Share;
  readonly value: Value;
}

/** A queue in which owners take turns, within an owner its instances, and within an instance the oldest is first. */
export interface FairQueue<Value> {
  readonly size: number;
  sizeOfOwner(owner: string): number;
  sizeOfInstance(share: Share): number;
  add(share: Share, value: Value): Ticket<Value>;
  /**
   * Finds the entry whose turn is next, and leaves it in the queue.
   *
   * @param isFree tells whether a share may have a turn; others are passed over and keep their place
   */
  first(isFree: (share: Share) => boolean): Ticket<Value> | undefined;
  /** Removes an entry that has its turn: its owner and instance go behind all others. */
  take(ticket: Ticket<Value>): void;
  /** Removes an entry that waits no longer; the turns stay as they are. */
  remove(ticket: Ticket<Value>): void;
}

/** Makes an empty queue. */
export function createFairQueue<Value>(): FairQueue<Value> {
  // both maps are in the order of turns
  const owners = new Map<string, Map<string, Ticket<Value>[]>>();
  let size = 0;

  function remove(ticket: Ticket<Value>): void {
    const { owner, instance } = ticket.share;
    const instances = owners.get(owner);
    const tickets = instances?.get(instance);
    const at = tickets?.indexOf(ticket) ?? -1;
    if (instances === undefined || tickets === undefined || at < 0) return;
    tickets.splice(at, 1);
    size -= 1;
    if (tickets.length === 0) instances.delete(instance);
    if (instances.size === 0) owners.delete(owner);
  }

  return {
    get size() {
      return size;
    },
    sizeOfOwner: (owner) =>
      [...(owners.get(owner)?.values() ?? [])].reduce((sum, { length }) => sum + length, 0),
    sizeOfInstance: ({ owner, instance }) => owners.get(owner)?.get(instance)?.length ?? 0,
    add: (share, value) => {
      const ticket = { share, value };
      const instances = owners.get(share.owner) ?? new Map<string, Ticket<Value>[]>();
      owners.set(share.owner, instances);
      const tickets = instances.get(share.instance);
      if (tickets === undefined) instances.set(share.instance, [ticket]);
      else tickets.push(ticket);
      size += 1;
      return ticket;
    },
    first: (isFree) => {
      for (const instances of owners.values()) {
        for (const [ticket] of instances.values()) {
          if (ticket !== undefined && isFree(ticket.share)) return ticket;
        }
      }
      return undefined;
    },
    take: (ticket) => {
      remove(ticket);
      const { owner, instance } = ticket.share;
      const instances = owners.get(owner);
      if (instances === undefined) return;
      toEnd(owners, owner, instances);
      const tickets = instances.get(instance);
      if (tickets !== undefined) toEnd(instances, instance, tickets);
    },
    remove,
  };
}

function toEnd<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
}
