import { beforeAll, describe, expect, it } from 'vitest';
import { methods } from '../../shared/core/resource/route.ts';
import { changeSuspension } from '../../shared/instances/suspension.ts';
import { type ApiResponse, type Credentials, expected } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import {
  type FilledWorld,
  isForUsers,
  isRun,
  isWait,
  openFilledWorld,
  type Place,
  places,
} from '../support/filled-world.ts';
import { joinAs } from '../support/join-as.ts';

/*
 * Law: every operation at every path of a suspended instance is a 403 with one body, except for what its owner reads
 * and for the owner's backups; that does not change. A new route is in it without a line here.
 */

useApi();

const body403 = { detail: 'This instance is suspended.' };
const inside = places.filter(({ route }) => route.instance !== 'none');
const reads = (place: Place) => !isForUsers(place) && !isRun(place) && !isWait(place);

let world: FilledWorld;
let other: FilledWorld;
let callers: Readonly<Record<string, Credentials>>;
const before = new Map<string, ApiResponse>();

/** What differs from request to request. */
const stable = ({ status, body }: ApiResponse) => ({ status, body });

const read = (place: Place) => api.send({ as: world.owner, path: world.path(place) });

const change = (action: 'suspend' | 'resume', name = 'stopped') =>
  changeSuspension(
    api.platform,
    action === 'suspend' ? { action, name, reason: 'spam' } : { action, name },
    Date.now(),
  );

beforeAll(async () => {
  world = await openFilledWorld(api, 'stopped', 'marker');
  other = await openFilledWorld(api, 'neighbour', 'other');
  const key = await world.apiKey({ ignore_acl: true });
  const [user] = expected(await world.call(world.owner, 'GET', 'users/'), 200).objects;
  callers = {
    full: await joinAs(world, 'full'),
    write: await joinAs(world, 'write'),
    key,
    user: { key, user: user.user_key },
  };
  await api.platform.idle();
  for (const place of inside.filter(reads)) before.set(place.template, await read(place));
  await change('suspend');
});

const operations = inside.flatMap((place) =>
  methods
    .filter((method) => place.route.operations[method])
    .map((method) => [method, place] as const),
);

describe('a suspended instance', () => {
  it.each(operations)('is closed to all but its owner: %s $name', async (method, place) => {
    const path = world.path(place);
    const isHidden = place.route.instance === 'thing';
    for (const [name, as] of Object.entries(callers)) {
      const { status, body } = await api.send({ as, method, path, body: {} });
      // outside of instances a key has no rights, as before
      if (isHidden && !['full', 'write'].includes(name)) expect([403, 404]).toContain(status);
      else expect([name, status, body]).toEqual([name, 403, body403]);
    }
  });

  it.each(operations.filter(([method]) => method !== 'GET'))(
    'changes nothing for its owner: %s $name',
    async (method, place) => {
      if (/\/backups\/full\/$/.test(place.template)) return; // below
      const path = world.path(place);

      expect(stable(await api.send({ as: world.owner, method, path, body: {} }))).toEqual({
        status: 403,
        body: body403,
      });
    },
  );

  it.each(inside.filter(reads))('shows its owner what it showed before: $name', async (place) => {
    expect(stable(await read(place))).toEqual(stable(before.get(place.template) as ApiResponse));
  });

  it.each(inside.filter(isRun))('runs nothing for its owner: $name', async (place) => {
    expect(stable(await read(place))).toEqual({ status: 403, body: body403 });
  });

  it('is closed to everybody at public links, in batches, and without a key', async () => {
    const paths = inside.filter(({ template }) => template.includes('{link}')).map(world.path);
    const batch = '/v1.1/instances/stopped/batch/';
    for (const path of [...paths, world.path(placeOf('/v1.1/instances/{instance}/classes/'))]) {
      expect(stable(await api.send({ path }))).toEqual({ status: 403, body: body403 });
    }
    const requests = [{ method: 'GET', path: '/v1.1/instances/stopped/classes/' }];
    expect(paths.length).toBeGreaterThan(0);
    expect(
      stable(await api.send({ as: world.owner, method: 'POST', path: batch, body: { requests } })),
    ).toEqual({ status: 403, body: body403 });
  });

  it('is in the list of its owner, and can be backed up', async () => {
    const list = expected(await api.send({ as: world.owner, path: '/v1.1/instances/' }), 200);
    expect(list.objects.map(({ name }: { name: string }) => name)).toContain('stopped');
    const made = expected(
      await world.call(world.owner, 'POST', 'backups/full/', { label: 'kept' }),
      201,
    );
    await api.platform.idle();

    const done = expected(
      await api.send({ as: world.owner, path: `/v1.1/backups/full/${made.id}/` }),
      200,
    );
    expect(done.status).toBe('success');
  });

  it('is not deleted, and its neighbour works', async () => {
    const path = '/v1.1/instances/stopped/';
    expect(stable(await api.send({ as: world.owner, method: 'DELETE', path }))).toEqual({
      status: 403,
      body: body403,
    });
    expected(await other.call(other.owner, 'POST', 'classes/book/objects/', { title: 'x' }), 201);
  });
});

it('after the end of a suspension all works as before', async () => {
  await change('resume');
  const run = expected(
    await world.call(world.owner, 'POST', 'snippets/scripts/1/run/', { payload: {} }),
    200,
  );
  await api.platform.idle();
  const trace = expected(await api.send({ as: world.owner, path: run.links.self }), 200);

  expect(trace.status).toBe('success');
  await expect(change('resume')).rejects.toThrow('stopped is not suspended');
  await expect(change('suspend', 'nowhere')).rejects.toThrow('there is no instance nowhere');
});

function placeOf(template: string): Place {
  const found = places.find((place) => place.template === template);
  if (found === undefined) throw new Error(`no place ${template}`);
  return found;
}
