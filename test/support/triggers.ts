import { setTimeout as pause } from 'node:timers/promises';
import { runQueueEntity, triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import { type ApiResponse, expected, type World } from './api.ts';
import { instanceId } from './stored-records.ts';

/** Creates a trigger that runs a script. @returns its id */
export async function makeTrigger(
  { call, owner }: Pick<World, 'call' | 'owner'>,
  body: { readonly signal: string; readonly class?: string; readonly script?: number },
): Promise<number> {
  const sent = { class: 'book', script: 1, ...body, signal: `post_${body.signal}` };
  return expected(await call(owner, 'POST', 'triggers/', sent), 201).id;
}

/** Creates a script of Node. @returns its id */
export async function makeScript(
  { call, owner }: Pick<World, 'call' | 'owner'>,
  source: string,
  config: object = {},
): Promise<number> {
  const body = { runtime_name: 'nodejs_v8', source, config };
  return expected(await call(owner, 'POST', 'snippets/scripts/', body), 201).id;
}

/** Prints ARGS and META. */
export const printInputs = 'console.log(JSON.stringify([ARGS, META]))';

/** Waits until all changes have started the runs of their triggers, and these have ended; retries may follow. */
export async function settleTriggers({ api, instance: name }: World): Promise<void> {
  const { platform } = api;
  const instance = await instanceId(platform.store, name);
  const partitions = [triggerEventEntity.partition(instance), runQueueEntity.partition(instance)];
  for (;;) {
    await platform.idle();
    const pages = await Promise.all(partitions.map((pk) => platform.store.query({ pk, limit: 1 })));
    if (pages.every(({ items }) => items.length === 0)) return;
    await pause(5);
  }
}

/** Returns the traces of a trigger, the oldest first, once all runs have ended. */
export async function tracesOf(world: World, trigger: number): Promise<ApiResponse['body'][]> {
  await settleTriggers(world);
  const path = `triggers/${trigger}/traces/?ordering=asc`;
  return expected(await world.call(world.owner, 'GET', path), 200).objects;
}

/** Returns what the runs of a trigger have printed as JSON; all of them must have succeeded. */
export async function printedBy(world: World, trigger: number): Promise<ApiResponse['body'][]> {
  const traces = await tracesOf(world, trigger);
  const details = traces.map(({ links }) => world.api.send({ as: world.owner, path: links.self }));
  return (await Promise.all(details)).map(({ body: { id, status, result } }) => {
    if (status !== 'success') throw new Error(`run ${id}: ${status} ${result.stderr}`);
    return JSON.parse(result.stdout);
  });
}
