import type { JobContext } from '../jobs/jobs.ts';
import { pushProviders } from '../push/rules/provider.ts';
import { CounterEnded, type Key, type Put } from '../store/store.ts';
import { type InstanceCounter, instanceCounter } from '../table/counters.ts';
import { idIn } from '../table/key-parts.ts';
import { factsOf } from '../table/kinds.ts';

/** Ids, by the counter that they are from. */
export type CounterIds = Readonly<Partial<Record<InstanceCounter, number>>>;

/** Returns the highest ids of restored items, and of those before. */
export function highestIds(before: CounterIds, puts: readonly Put[]): CounterIds {
  const highest: Partial<Record<InstanceCounter, number>> = { ...before };
  for (const put of puts) {
    const [counter, id] = idOf(put);
    if (counter !== undefined) highest[counter] = Math.max(highest[counter] ?? 0, id);
  }
  return highest;
}

/** Returns the counter that a restored item's id is from: records that are found by name have their list position. */
function idOf({ key, kind, data }: Put): readonly [InstanceCounter | undefined, number] {
  const { row: position = idIn(key) }: { readonly row?: number } = data;
  return [counterOf(kind, key), position];
}

/** Returns the counter of an archived item. Devices have one for each provider. */
function counterOf(kind: string, { pk }: Key): InstanceCounter | undefined {
  const facts = factsOf(kind);
  if (facts?.belongsTo !== 'contents') return undefined;
  const provider = pushProviders.find((each) => pk.endsWith(`#${each}`));
  const counters = [facts.counter ?? []].flat() as readonly InstanceCounter[]; // as all counters of instances
  return counters.find((each) => provider === undefined || each.startsWith(provider));
}

/** Raises the counters of an instance, so that no later record gets a restored id. */
export async function raiseCounters(
  context: JobContext,
  instance: number,
  ids: CounterIds,
): Promise<void> {
  for (const [name, highest] of Object.entries(ids)) {
    await passId(context, instance, [name as InstanceCounter, highest]); // of this type
  }
}

async function passId(
  { store }: JobContext,
  instance: number,
  [name, highest]: readonly [InstanceCounter, number],
): Promise<void> {
  const counter = instanceCounter(instance, name);
  try {
    for (;;) {
      const next = await store.next(counter);
      if (next >= highest) return;
      await store.next(counter, highest - next, highest);
      return;
    }
  } catch (error) {
    if (!(error instanceof CounterEnded)) throw error; // else others have raised it in the meantime
  }
}
