import { expected, type World } from './api.ts';
import { api } from './api-fixture.ts';

const active = ['scheduled', 'running', 'uploading'];

/** Another instance of the owner of a world, or of an account that is given. */
export async function openNew(of: World, instance: string, owner = of.owner): Promise<World> {
  const body = { name: instance };
  expected(await api.send({ as: owner, path: '/v1.1/instances/', body }), 201);
  const base = `/v1.1/instances/${instance}/`;
  const call: World['call'] = (as, method, path, sent) =>
    api.send({ as, method, path: base + path, ...(sent === undefined ? {} : { body: sent }) });
  const apiKey: World['apiKey'] = async (flags = {}) =>
    expected(await call(owner, 'POST', 'api_keys/', flags), 201).api_key;
  return { ...of, instance, base, owner, call, apiKey };
}

/** Waits for the end of a backup or a restore of an instance. */
export async function ended(of: World, path: string) {
  for (;;) {
    const body = expected(await of.call(of.owner, 'GET', path), 200);
    if (!active.includes(body.status)) return body;
    await api.platform.idle();
  }
}

/** Makes a backup of an instance, and waits for its end. */
export async function backUp(of: World) {
  const { id } = expected(await of.call(of.owner, 'POST', 'backups/full/', {}), 201);
  return ended(of, `backups/full/${id}/`);
}

/** Restores a backup into an instance, and waits for the end. */
export async function restore(backup: number, into: World) {
  const { id } = expected(await into.call(into.owner, 'POST', 'restores/', { backup }), 201);
  return ended(into, `restores/${id}/`);
}

/** Deletes an instance, and waits for the jobs that clear it. */
export async function remove(of: World) {
  expected(await of.call(of.owner, 'DELETE', ''), 204);
  await api.platform.idle();
}
