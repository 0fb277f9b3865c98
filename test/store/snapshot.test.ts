import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';

const options = { now: () => Date.now() };

test('a snapshot shows the table as it was, and does not keep the store from closing', async () => {
  const path = mkdtempSync(join(tmpdir(), 'groundwork-'));
  const store = await openStore({ ...options, path });
  let writes = 0;
  const random = () => {
    writes += 1;
    return String(writes).padStart(32, '0');
  };
  const put = (sk: string, a: number) =>
    maintain({ store, ids: { random } }, [putItem({ kind: 'any' }, { pk: 'p', sk }, { a })]);
  await put('one', 1);

  const snapshot = store.openSnapshot?.();
  await put('one', 2);
  await put('two', 3);
  const seen = await snapshot?.query({ pk: 'p', limit: 10 });
  await store.close();
  const again = await openStore({ ...options, path });
  const now = await again.query({ pk: 'p', limit: 10 });
  await again.close();
  rmSync(path, { recursive: true, force: true });

  expect(seen?.items.map(({ data }) => data)).toEqual([{ a: 1 }]);
  expect(now.items.map(({ data }) => data)).toEqual([{ a: 2 }, { a: 3 }]);
});
