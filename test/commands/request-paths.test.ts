import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { sections } from '../../bin/groundwork/project/model/sections.ts';
import { recordPath } from '../../bin/groundwork/project/push/instance-state.ts';
import { connectInstance } from '../../bin/groundwork/settings.ts';
import { allItems, openClient } from '../../shared/clients/client.ts';
import { at, PathError } from '../../shared/values/text/request-path.ts';

/* Names in files, settings and responses do not change which path a command requests. */

const dots = ['..', '.', '%2e%2e', '%2E.', 'a/../b', ''];

/** Starts a server that responds to everything with this page of a list. */
async function start(page: () => object) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers['x-api-key']} ${request.url}`);
    response.end(JSON.stringify(page()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test.each(dots)('an instance in the settings is not %j', (instance) => {
  const options = { url: 'http://127.0.0.1:9', key: 'key', instance };

  expect(() => connectInstance(options)).toThrow(PathError);
});

const named = sections
  .filter(({ isSettings }) => !isSettings)
  .map((each) => [each.name, each] as const);

test.each(named)('no record of %s has the path of something else', (_, section) => {
  const base = at`/v1.1/instances/library/`;

  for (const text of dots) {
    expect(() => recordPath(base, section, { name: text, id: text })).toThrow(PathError);
  }
  expect(recordPath(base, section, { name: 'a/b', id: 'a/b' })).toBe(
    `${base}${section.path}a%2Fb/`,
  );
});

test.each(['//', 'http://', '/\\'])('a list continues on no other server by %s', async (start_) => {
  const other = await start(() => ({ objects: [], next: null }));
  const next = `${start_}${new URL(other.url).host}/v1.1/instances/`;
  const server = await start(() => ({ objects: [], next }));

  await expect(allItems(openClient(server.url, 'secret'), at`/v1.1/instances/`)).rejects.toThrow(
    PathError,
  );

  expect(server.seen).toEqual(['secret /v1.1/instances/']);
  expect(other.seen).toEqual([]);
});

test('the deletion of an instance is sent with its name', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers['x-confirm-name'] as string | undefined);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const send = openClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');

  await send({ method: 'DELETE', path: '/v1.1/instances/library/', confirmedName: 'library' });
  await send({ method: 'DELETE', path: '/v1.1/instances/library/' });

  expect(seen).toEqual(['library', undefined]);
});
