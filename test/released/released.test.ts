import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TableIndex, tableIndexes } from '../../shared/platforms/aws/store/table.ts';
import { predefinedTemplates } from '../../shared/templates/predefined.ts';
import { type Api, expected, startApi } from '../support/api.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { allKinds, readReleasedCalls, releasedKinds, restoreReleased } from './released-data.ts';

/** What the last release has stored, with this code: test/released/README.md. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-released-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('the indexes of the table', () => {
  const released: readonly TableIndex[] = JSON.parse(
    readFileSync(new URL('indexes.json', import.meta.url), 'utf8'),
  );

  test('differ from those of the last release by one at most', () => {
    const changed = changedIndexes(released, tableIndexes);

    expect(
      changed.length,
      `${changed.join(', ')}: DynamoDB adds or removes one index of a table per update, so the next deployment of every ` +
        'existing table would fail. Release one change after the other (docs/internals/table.md#changes-of-indexes)',
    ).toBeLessThanOrEqual(1);
  });

  const [first, second, ...others] = tableIndexes as readonly [TableIndex, TableIndex, TableIndex];
  const added = { ...first, name: 'added' };
  test.each([
    ['none', tableIndexes, []],
    ['one that is added', [...tableIndexes, added], ['added']],
    ['one that is removed', [second, ...others], ['slot0']],
    ['another key of one', [{ ...first, sortKey: 'z' }, second, ...others], ['slot0', 'slot0']],
    ['two that are removed', others, ['slot0', 'slot1']],
  ])('count: %s', (_, now, changed) => {
    expect(changedIndexes(tableIndexes, now)).toEqual(changed);
  });
});

/** Returns the names of indexes to remove or add: an index that differs is removed, and added again. */
function changedIndexes(
  before: readonly Readonly<Record<keyof TableIndex, string>>[],
  now: readonly Readonly<Record<keyof TableIndex, string>>[],
): readonly string[] {
  const texts = (all: typeof now) =>
    new Map(all.map(({ name, sortKey, projection }) => [[name, sortKey, projection].join(), name]));
  const [old, current] = [texts(before), texts(now)];
  const only = (all: typeof old, others: typeof old) =>
    [...all].filter(([text]) => !others.has(text)).map(([, name]) => name);
  return [...only(old, current), ...only(current, old)];
}

describe('the data', () => {
  const calls = readReleasedCalls();
  const library = '/v1.1/instances/library/';
  let api: Api;

  beforeAll(async () => {
    const folder = join(root, 'data');
    await restoreReleased(folder);
    api = await startApi({ folder, clock: openMovedClock(calls.writtenAt) });
  });
  afterAll(() => api.close());

  test('are of kinds that this code knows: removing one needs a migration', () => {
    const known = allKinds();

    expect([...releasedKinds()].filter((kind) => !known.has(kind))).toEqual([]);
  });

  test.each(calls.responses)('$path is shown as before', async ({ as, path, status, body }) => {
    const response = await api.send({ as, path });

    const text = JSON.stringify(response.body).replaceAll(api.url, '<url>');
    expect(response.status).toBe(status);
    expect(JSON.parse(text)).toMatchObject(ofData(body) as object);
  });

  test('log-ins work, and return the keys of before', async () => {
    const account = await api.send({ path: '/v1.1/account/auth/', body: calls.account });
    const key = expected(account, 200).account_key;
    const apiKeys = await api.send({ as: key, path: `${library}api_keys/` });
    const [{ api_key: apiKey }] = expected(apiKeys, 200).objects.slice(-1);
    const user = await api.send({ as: apiKey, path: `${library}user/auth/`, body: calls.user });

    expect(key).toBe(calls.owner);
    expect(expected(user, 200).username).toBe(calls.user.username);
  });

  test('filters and orders read their indexes', async () => {
    const query = encodeURIComponent(JSON.stringify({ title: { _eq: 'released' } }));
    const path = `${library}classes/book/objects/?query=${query}&order_by=-pages`;

    const { objects } = expected(await api.send({ as: calls.owner, path }), 200);

    expect(objects.map(({ title }: { title: string }) => title)).toContain('released');
  });

  test('are extended by new items, whose ids continue', async () => {
    const path = `${library}classes/book/objects/`;
    const { objects } = expected(await api.send({ as: calls.owner, path }), 200);
    const ids = objects.map(({ id }: { id: number }) => id);

    const created = await api.send({ as: calls.owner, path, body: { title: 'new', isbn: 'n' } });

    expect(expected(created, 201).id).toBeGreaterThan(Math.max(...ids));
  });

  test('have files that can be read', async () => {
    const path = `${library}classes/book/objects/`;
    const { objects } = expected(await api.send({ as: calls.owner, path }), 200);
    const { scan } = objects.find(({ scan }: { scan: unknown }) => scan !== null);
    const response = await fetch(scan.value);

    expect(await response.text()).toBe('a scan');
  });
});

/** Returns a response without the texts of predefined templates, which are code until they are changed. */
function ofData(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (_, value) => {
    if (!predefinedTemplates.some(({ name }) => name === Object(value).name)) return value;
    const { content: _content, ...others } = value;
    return others;
  });
}
