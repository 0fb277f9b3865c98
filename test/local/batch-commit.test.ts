import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { routes } from '../../functions/api.ts';
import * as background from '../../functions/jobs.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { openPlatform } from '../../shared/platforms/local/platform.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';

/** Returns the count of transactions in the file of a store; the library has it, its types do not. */
function transactions(path: string): number {
  const file = open({ path, readOnly: true });
  return (file.getStats() as { readonly lastTxnId: number }).lastTxnId;
}

test('a batch of fifty creates is one durable commit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-batch-'));
  const settings = {
    registration: 'open' as const,
    maxInstances: 2 as const,
    maxClasses: 9 as const,
    location: 'local',
    passwordCost: 10,
  };
  const platform = await openPlatform({
    folder,
    settings,
    background,
    log: () => undefined,
    url: () => 'http://localhost',
  });
  const dispatch = createDispatch(routes, platform, { renderer: responseTemplates });
  const post = async (path: string, value: unknown, key?: string) => {
    const { status, body } = await dispatch({
      id: 'x',
      method: 'POST',
      path: `/v1.1${path}`,
      query: new URLSearchParams(),
      headers: { 'x-api-key': key },
      sourceAddress: '127.0.0.1',
      body: { kind: 'json', value },
    });
    return { status, body: JSON.parse(JSON.stringify(body)) };
  };
  const account = await post('/account/register/', { email: 'a@example.com', password: 'p' });
  const key = account.body.account_key;
  await post('/instances/', { name: 'blog-1' }, key);
  await post('/instances/blog-1/classes/', { name: 'post', schema: [] }, key);
  await platform.idle();

  const before = transactions(join(folder, 'store'));
  const create = { method: 'POST', path: '/v1.1/instances/blog-1/classes/post/objects/' };
  const requests = Array.from({ length: 50 }, () => create);
  const { body } = await post('/instances/blog-1/batch/', { requests }, key);
  const after = transactions(join(folder, 'store'));

  expect(body.map(({ code }: { code: number }) => code)).toEqual(requests.map(() => 201));
  expect([1, 2]).toContain(after - before); // a second one: the number of objects follows
  const ids = body.map(({ content }: { content: { id: number } }) => content.id);
  expect(ids).toEqual(requests.map((_, at) => at + 1));

  const schema = [{ name: 'code', type: 'string', unique: true, filter_index: true }];
  await post('/instances/blog-1/classes/', { name: 'coded', schema }, key);
  const coded = '/v1.1/instances/blog-1/classes/coded/objects/';
  await post(coded.slice('/v1.1'.length), { code: 'b' }, key);
  const codes = ['a', 'b', 7, 'c'].map((code) => ({ method: 'POST', path: coded, body: { code } }));
  const mixed = await post('/instances/blog-1/batch/', { requests: codes }, key);

  expect(mixed.body).toMatchObject([
    { code: 201, content: { code: 'a', revision: 1 } },
    { code: 400, content: { code: ['This field must be unique.'] } },
    { code: 201, content: { code: '7' } },
    { code: 201, content: { code: 'c' } },
  ]);
  await platform.close();
  rmSync(folder, { recursive: true });
});
