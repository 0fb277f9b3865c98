import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maintain } from '../../shared/jobs/maintain.ts';
import type { Key } from '../../shared/store/store.ts';
import { createItem } from '../../shared/store/writes.ts';
import { type Api, expected, startApi } from '../support/api.ts';
import {
  type FilledWorld,
  isRun,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { instanceId } from '../support/stored-records.ts';
import { table } from '../table/samples.ts';
import { allKinds, type ReleasedResponse, releasedKinds, writeReleased } from './released-data.ts';

/** Writes the data of this code as those of the last release: test/released/README.md. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-released-'));
const folder = join(root, 'data');
const writtenAt = '2026-01-31T12:00:00.000Z';
const nowMs = Date.parse(writtenAt);
const alive = setInterval(() => undefined, 1000); // timers of the platform do not keep this process alive

const api = await startApi({
  folder,
  clock: openMovedClock(writtenAt),
  social: {
    github: async () => ({ id: '7', email: 'social@example.com', first_name: '', last_name: '' }),
  },
});
const world = await openFilledWorld(api, 'library', 'released');
const user = { username: 'eve', password: 'a password' };
await fillMore(world);
await api.platform.idle();
const responses: ReleasedResponse[] = [];
for (const place of places.filter(isShown)) responses.push(await show(world, place));
await fillPending(api);
await api.close();
const account = { email: 'owner-of-library@example.com', password: 'a password' };
await writeReleased(folder, { writtenAt, owner: world.owner, account, user, responses });
rmSync(root, { recursive: true });
const missing = [...allKinds()].filter((kind) => !releasedKinds().has(kind));
if (missing.length > 0) throw new Error(`no item of ${missing.join(', ')}: add one to this file`);
clearInterval(alive);

/** Creates items that the lists of the interface do not need. */
async function fillMore({ call, owner, apiKey }: FilledWorld): Promise<void> {
  const post = async (path: string, body: unknown, as: string = owner) =>
    expected(await call(as, 'POST', path, body), path.endsWith('auth/') ? 200 : 201);
  const form = new FormData();
  form.set('scan', new Blob(['a scan'], { type: 'text/plain' }), 'scan.txt');
  expected(await call(owner, 'POST', 'classes/book/objects/', form), 201);
  await post('groups/', { name: 'readers', label: 'Readers' });
  const { id } = await post('groups/', { label: 'Deleted' });
  expected(await call(owner, 'DELETE', `groups/${id}/`), 204);
  await post('channels/', { name: 'chat', type: 'separate_rooms', custom_publish: true });
  await post('channels/chat/publish/', { room: 'A', payload: { text: 'hello' } });
  const key = await apiKey({ allow_user_create: true, ignore_acl: true });
  await post('users/', user, key);
  await post('user/auth/', user, key);
  await call(key, 'POST', 'user/auth/', { ...user, password: 'wrong' });
  await call(key, 'POST', 'user/auth/github/', { access_token: 't' });
  await call(key, 'GET', 'channels/chat/poll/?room=A&last_id=0');
  await api.send({ path: '/v1.1/account/auth/github/', body: { access_token: 't' } });
}

/** Stores items that exist for a moment only, while something is pending, and those of the platform on AWS. */
async function fillPending({ platform }: Api): Promise<void> {
  const instance = await instanceId(platform.store, 'library');
  const key = table.objectEntity.key(instance, 1, 1);
  const change = { actor: {}, cause: 'client', depth: 0 } as const;
  const letter = { id: 'a1', consumer: 'class counts', position: '1', kind: 'object', error: 'no' };
  const run = { kind: 'script', parent: 1, trace: 1 } as const;
  const event = { action: 'update', author: {}, metadata: {}, payload: { id: 1 } } as const;
  const named = { id: 1, revision: 2, action: 'update' } as const;
  const waiter = { isAwaited: true, sinceMs: nowMs, id: 'a1' };
  const ofScript = { instance, script: 1, version: 1, release: 'r', state: 'ready' } as const;
  const pending = { class: 'book', action: 'update', triggers: [1], depth: 0 } as const;
  const put = <Data extends object>(kind: { readonly kind: string }, at: Key, data: Data) =>
    createItem(kind, at, data);
  await maintain(platform, [
    put(table.deadLetterEntity, table.deadLetterEntity.key(nowMs, 'a1'), {
      ...letter,
      key,
      change,
    }),
    put(table.triggerEventEntity, table.triggerEventEntity.key(instance, 1, '1'), {
      ...pending,
      args: { value: { id: 1 } },
      changes: ['title'],
    }),
    put(table.channelEventEntity, table.channelEventEntity.key(instance, 1, named), {
      ...event,
      place: { instance, channel: 1, room: '' },
    }),
    put(table.runQueueEntity, table.runQueueEntity.key(instance, 'q', '1'), run),
    put(table.deletedGroupsEntity, table.deletedGroupsEntity.key(instance), { groups: [2] }),
    put(table.deletedUserEntity, table.deletedUserEntity.key(instance, 9), { user: 9 }),
    put(table.pollPositionEntity, table.pollPositionEntity.key(instance, 1, 'user#1', ''), {
      last: 1,
      atMs: nowMs,
    }),
    put(table.pollSlotEntity, table.pollSlotEntity.key(1), {}),
    put(table.runSlotEntity, table.runSlotEntity.key(instance, 1), {}),
    put(table.runWaiterEntity, table.runWaiterEntity.key(instance, waiter), { run }),
    put(table.scriptFunctionEntity, table.scriptFunctionEntity.key(instance, 1), ofScript),
    put(table.scriptSweepEntity, table.scriptSweepEntity.key(), {}),
    put(table.deploymentIdEntity, table.deploymentIdEntity.key(), { id: 'a1', table: 'a' }),
  ]);
}

function isShown(place: Place): boolean {
  const { route, version, template } = place;
  const isListed = version === 'v1.1' && route.operations.GET !== undefined;
  const changes = /schema|usage/.test(template); // with the interface, and with each request
  return isListed && !route.isRoot && !changes && !isRun(place) && !isWait(place);
}

async function show({ path, caller }: FilledWorld, place: Place): Promise<ReleasedResponse> {
  const as = caller(place);
  const { status, body } = await api.send({ as, path: path(place) });
  const text = JSON.stringify(body).replaceAll(api.url, '<url>');
  return { as, path: path(place), status, body: JSON.parse(text) };
}
