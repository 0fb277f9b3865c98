import { expected, openInstance, type World } from './api.ts';

const active = ['scheduled', 'running', 'uploading'];

/** Another instance of the owner of a world, or of an account that is given. */
export function openNew({ api, ...of }: World, instance: string, owner = of.owner): Promise<World> {
  return openInstance(api, instance, owner);
}

/** Waits for the end of a backup or a restore of an instance. */
export async function ended(of: World, path: string) {
  for (;;) {
    const body = expected(await of.call(of.owner, 'GET', path), 200);
    if (!active.includes(body.status)) return body;
    await of.api.platform.idle();
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
  await of.api.platform.idle();
}
