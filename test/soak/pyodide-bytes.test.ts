import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { bringSnapshot, pyodideHosts } from '../scripts/python-hosts.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

/* The rule of test/api/script-bytes.test.ts, in Pyodide, where a run takes a second. */

afterAll(endProcesses);

const source = `from base64 import b64decode
set_response(HttpResponse(200, b64decode(ARGS['b']), 'a/b'))`;
const rows = [
  Uint8Array.from({ length: 256 }, (_, at) => at),
  Uint8Array.from([0xef, 0xbb, 0xbf, 65]),
  new TextEncoder().encode('ż 😀'),
];

test.skipIf(pyodideHosts.size === 0)('bytes arrive as they were', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-bytes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await bringSnapshot(folder);
  const { url } = await startProcess(folder, { args: ['--sandbox', 'flags'] });
  const person = { email: 'ann@example.com', password: 'a password' };
  const { body: account } = await openClient(url)({
    path: '/v1.1/account/register/',
    body: person,
  });
  const send = openClient(url, account.account_key);
  const base = '/v1.1/instances/bookshop/';
  await send({ path: '/v1.1/instances/', body: { name: 'bookshop' } });
  const sent = { label: 'x', runtime_name: 'python3', source };
  const { body: script } = await send({ path: `${base}snippets/scripts/`, body: sent });
  await send({ path: `${base}endpoints/scripts/`, body: { name: 'echo', script: script.id } });

  const received = [];
  for (const row of rows) {
    const b = encodeURIComponent(Buffer.from(row).toString('base64'));
    const response = await fetch(`${url}${base}endpoints/scripts/echo/run/?b=${b}`, {
      headers: { 'X-API-KEY': account.account_key },
    });
    received.push(Buffer.from(await response.arrayBuffer()));
  }

  expect(received).toEqual(rows.map((row) => Buffer.from(row)));
});
