/** Numbers by the values of their labels. Each value is one of a fixed set, so that there are few of them. */
export interface Tally {
  add(...values: readonly string[]): void;
  read(): Iterable<readonly [values: readonly string[], count: number]>;
}

const separator = '\n';

/** Creates a tally in which `known` has the values that are zero at first: a rise from zero is seen, unlike a new one. */
export function openTally(known: readonly (readonly string[])[] = []): Tally {
  const counts = new Map(known.map((values) => [values.join(separator), 0]));
  return {
    add: (...values) => {
      const name = values.join(separator);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    read: function* () {
      for (const [name, count] of counts) yield [name.split(separator), count];
    },
  };
}
