import { expect } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { openDataGuard } from '../../shared/platforms/aws/requests/data-guard.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import type { Store } from '../../shared/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { dataVersionEntity } from '../../shared/table/entities/deployment.ts';
import { write } from '../store/fixture.ts';
import { storeTest } from '../support/store-test.ts';

const it = storeTest.extend('given', ({ store }) => setUp(store));

const request = {} as Request; // passed on only

it.for([undefined, 1])(
  'data of version %s are served, and read once',
  async (version, { store, given }) => {
    if (version !== undefined) await storeVersion(store, version);
    let reads = 0;
    const dispatch = given.open((keys) => {
      reads += 1;
      return store.get(keys);
    });

    const statuses = [(await dispatch(request)).status, (await dispatch(request)).status];

    expect([statuses, reads, given.logged]).toEqual([[200, 200], 1, []]);
  },
);

it('requests for newer data get 503, and the operator one line', async ({ store, given }) => {
  await storeVersion(store, 2);
  const dispatch = given.open();

  for (const _ of [1, 2]) {
    await expect(dispatch(request)).rejects.toMatchObject({
      status: 503,
      code: 'data_too_new',
      body: { detail: 'The data of this server are of a newer version of its software.' },
    });
  }
  expect(given.logged).toEqual([
    {
      level: 'error',
      message: 'the data are of a newer version',
      cause: 'data version 2, this program knows up to 1',
    },
  ]);
});

it('a table that does not respond is asked again with the next request', async ({
  store,
  given,
}) => {
  await storeVersion(store, 2);
  let reads = 0;
  const dispatch = given.open((keys) => {
    reads += 1;
    return reads === 1 ? Promise.reject(new Error('throttled')) : store.get(keys);
  });

  expect((await dispatch(request)).status).toBe(200); // as far as it does not need the table
  await expect(dispatch(request)).rejects.toMatchObject({ status: 503 });
});

function setUp(store: Store) {
  const logged: LogEntry[] = [];
  /** Opens the guard of a process that knows version 1, and a function that sends it a request. */
  const open = (get: Store['get'] = store.get) => {
    const services = { store: { ...store, get }, log: (entry: LogEntry) => logged.push(entry) };
    return openDataGuard(services, 1).guard(async () => ({ status: 200 }));
  };
  return { logged, open };
}

async function storeVersion(store: Store, version: number): Promise<void> {
  await write(store, putItem(dataVersionEntity, dataVersionEntity.key(), { version }));
}
