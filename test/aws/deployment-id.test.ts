import { afterEach, beforeEach, expect, test } from 'vitest';
import { openScriptDeployment } from '../../shared/platforms/aws/deployment-id.ts';
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import { openIds } from '../../shared/ports/ids.ts';
import type { Key } from '../../shared/store/store.ts';

let store: LocalStore;
let reads: number;

beforeEach(async () => {
  store = await openTemporaryStore({ now: Date.now });
  reads = 0;
});
afterEach(() => store.close());

/** Opens the place in another process. */
function open(table: string) {
  const get = (keys: readonly Key[]) => {
    reads += 1;
    return store.get(keys);
  };
  const services = { store: { ...store, get }, ids: openIds() };
  return openScriptDeployment({ prefix: 'groundwork-prod', table, services });
}

test('all processes of a deployment use one id, also those that start at the same time', async () => {
  const places = await Promise.all([1, 2, 3].map(() => open('a')()));
  const later = await open('a')();

  expect(new Set([...places, later].map(({ deployment }) => deployment)).size).toBe(1);
  expect(later).toEqual({
    prefix: 'groundwork-prod',
    deployment: expect.stringMatching(/^[0-9a-f]{24}$/),
  });
});

test('a process reads the id once', async () => {
  await open('a')();
  const readDeployment = open('a');
  reads = 0;

  await readDeployment();
  await readDeployment();

  expect(reads).toBe(1);
});

test('a copy of the table gets another id, and keeps it', async () => {
  const original = await open('a')();

  const [copy, other] = await Promise.all([open('b')(), open('b')()]);

  expect(copy.deployment).not.toBe(original.deployment);
  expect(other).toEqual(copy);
  expect(await open('b')()).toEqual(copy);
});
