/** Those who wait for their turn: first come first served in each instance, instances in turn. */
export interface Queue<Turn> {
  /**
   * Waits for a turn.
   *
   * @returns undefined when none came within `waitMs`
   */
  wait(instance: number, waitMs: number): Promise<Turn | undefined>;
  /** Gives a turn to whoever is next; false when nobody waits. */
  give(turn: Turn): boolean;
  readonly length: number;
}

/** Makes an empty queue. */
export function createQueue<Turn>(): Queue<Turn> {
  type Waiter = (turn: Turn | undefined) => void;
  const waiting = new Map<number, Set<Waiter>>(); // by instance, in the order of their turns
  let length = 0;

  const leave = (instance: number, waiter: Waiter) => {
    const others = waiting.get(instance);
    if (others?.delete(waiter)) length -= 1;
    if (others?.size === 0) waiting.delete(instance);
  };

  return {
    get length() {
      return length;
    },
    wait: (instance, waitMs) =>
      new Promise((resolve) => {
        const waiter: Waiter = (turn) => {
          clearTimeout(timer);
          leave(instance, waiter);
          resolve(turn);
        };
        const timer = setTimeout(waiter, waitMs, undefined);
        const others = waiting.get(instance) ?? new Set();
        waiting.set(instance, others.add(waiter));
        length += 1;
      }),
    give: (turn) => {
      const [next] = waiting;
      if (next === undefined) return false;
      const [instance, waiters] = next;
      const [waiter] = waiters;
      waiting.delete(instance);
      waiting.set(instance, waiters); // to the end: the next turn is another instance's
      waiter?.(turn);
      return true;
    },
  };
}
