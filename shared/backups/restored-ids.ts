import type { JobContext } from '../jobs/jobs.ts';
import { pushProviders } from '../push/rules/provider.ts';
import { CounterEnded, type Put } from '../store/store.ts';
import {
  channelEntity,
  dataEndpointEntity,
  groupEntity,
  type InstanceCounter,
  idIn,
  instanceCounter,
  objectEntity,
  pushDeviceEntity,
  scheduleEntity,
  scriptEndpointEntity,
  scriptEntity,
  templateEntity,
  triggerEntity,
  userEntity,
} from '../table/entities.ts';

/** Ids, by the counter that they are from. */
export type Ids = Readonly<Partial<Record<InstanceCounter, number>>>;

/** Counters of the kinds whose records have their id in the key. */
const byKey: Readonly<Record<string, InstanceCounter>> = {
  [objectEntity.kind]: 'object',
  [userEntity.kind]: 'user',
  [groupEntity.kind]: 'group',
  [scriptEntity.kind]: 'script',
  [scheduleEntity.kind]: 'schedule',
  [triggerEntity.kind]: 'trigger',
};

/** Counters of the kinds whose records are found by name: they give list positions. */
const byRow: Readonly<Record<string, InstanceCounter>> = {
  [dataEndpointEntity.kind]: 'data-endpoint',
  [templateEntity.kind]: 'template',
  [channelEntity.kind]: 'channel',
  [scriptEndpointEntity.kind]: 'endpoint',
};

/** Returns the highest ids of restored items, and of those before. */
export function highestIds(before: Ids, puts: readonly Put[]): Ids {
  const highest: Partial<Record<InstanceCounter, number>> = { ...before };
  for (const put of puts) {
    const [counter, id] = idOf(put);
    if (counter !== undefined) highest[counter] = Math.max(highest[counter] ?? 0, id);
  }
  return highest;
}

function idOf({ key, kind, data }: Put): readonly [InstanceCounter | undefined, number] {
  const { row = 0 }: { readonly row?: number } = data;
  if (kind === pushDeviceEntity.kind) {
    const provider = pushProviders.find((each) => key.pk.endsWith(`#${each}`));
    return [provider && `${provider}-device`, row];
  }
  const counter = byKey[kind];
  return counter === undefined ? [byRow[kind], row] : [counter, idIn(key)];
}

/** Raises the counters of an instance, so that no later record gets a restored id. */
export async function passIds(context: JobContext, instance: number, ids: Ids): Promise<void> {
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
