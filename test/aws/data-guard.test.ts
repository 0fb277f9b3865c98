import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { openDataGuard } from '../../shared/platforms/aws/requests/data-guard.ts';
import { type LocalStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { dataVersionEntity } from '../../shared/table/entities/deployment.ts';
import { write } from '../store/fixture.ts';

let store: LocalStore;
let logged: LogEntry[];

beforeEach(async () => {
  store = await openTemporaryStore({ now: Date.now });
  logged = [];
});
afterEach(() => store.close());

const request = {} as Request; // passed on only

/** Opens the guard of a process that knows version 1, and a function that sends it a request. */
function open(get: Store['get'] = store.get) {
  const guard = openDataGuard({ store: { ...store, get }, log: (entry) => logged.push(entry) }, 1);
  return guard.guard(async () => ({ status: 200 }));
}

async function storeVersion(version: number): Promise<void> {
  await write(store, putItem(dataVersionEntity, dataVersionEntity.key(), { version }));
}

test.each([undefined, 1])('data of version %s are served, and read once', async (version) => {
  if (version !== undefined) await storeVersion(version);
  let reads = 0;
  const dispatch = open((keys) => {
    reads += 1;
    return store.get(keys);
  });

  const statuses = [(await dispatch(request)).status, (await dispatch(request)).status];

  expect([statuses, reads, logged]).toEqual([[200, 200], 1, []]);
});

test('requests for newer data get 503, and the operator one line', async () => {
  await storeVersion(2);
  const dispatch = open();

  for (const _ of [1, 2]) {
    await expect(dispatch(request)).rejects.toMatchObject({
      status: 503,
      code: 'data_too_new',
      body: { detail: 'The data of this server are of a newer version of its software.' },
    });
  }
  expect(logged).toEqual([
    {
      level: 'error',
      message: 'the data are of a newer version',
      cause: 'data version 2, this program knows up to 1',
    },
  ]);
});

test('a table that does not respond is asked again with the next request', async () => {
  await storeVersion(2);
  let reads = 0;
  const dispatch = open((keys) => {
    reads += 1;
    return reads === 1 ? Promise.reject(new Error('throttled')) : store.get(keys);
  });

  expect((await dispatch(request)).status).toBe(200); // as far as it does not need the table
  await expect(dispatch(request)).rejects.toMatchObject({ status: 503 });
});
