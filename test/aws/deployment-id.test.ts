import { expect } from 'vitest';
import { openScriptDeployment } from '../../shared/platforms/aws/deployment-id.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Key, Store } from '../../shared/store/store.ts';
import { storeTest } from '../support/store-test.ts';

const it = storeTest.extend('given', ({ store }) => setUp(store));

it('all processes of a deployment use one id, also those that start at the same time', async ({
  given,
}) => {
  const places = await Promise.all([1, 2, 3].map(() => given.open('a')()));
  const later = await given.open('a')();

  expect(new Set([...places, later].map(({ deployment }) => deployment)).size).toBe(1);
  expect(later).toEqual({
    prefix: 'groundwork-prod',
    deployment: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
});

it('a process reads the id once', async ({ given }) => {
  await given.open('a')();
  const readDeployment = given.open('a');
  given.reads = 0;

  await readDeployment();
  await readDeployment();

  expect(given.reads).toBe(1);
});

it('a copy of the table gets another id, and keeps it', async ({ given }) => {
  const original = await given.open('a')();

  const [copy, other] = await Promise.all([given.open('b')(), given.open('b')()]);

  expect(copy.deployment).not.toBe(original.deployment);
  expect(other).toEqual(copy);
  expect(await given.open('b')()).toEqual(copy);
});

function setUp(store: Store) {
  const given = {
    reads: 0,
    /** Opens the place in another process. */
    open: (table: string) => {
      const get = (keys: readonly Key[]) => {
        given.reads += 1;
        return store.get(keys);
      };
      const services = { store: { ...store, get }, ids: openIds() };
      return openScriptDeployment({ prefix: 'groundwork-prod', table, services });
    },
  };
  return given;
}
