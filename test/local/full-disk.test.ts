import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/** A server with a full disk. The test requires permission to mount a small file system. */

const disk = mkdtempSync(join(tmpdir(), 'groundwork-disk-'));
const isMounted = mount();

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('test/local/full-disk.test.ts is skipped: it may not mount a tmpfs\n');
    return false;
  }
}

afterAll(() => {
  endProcesses();
  if (isMounted) execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

describe.skipIf(!isMounted)('a server with a full disk', () => {
  const filler = join(disk, 'filler');
  const folder = join(disk, 'data');
  let server: ServerProcess;
  let key: string;

  const send = async (method: string, path: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${server.url}/v1.1/${path}`, {
      method,
      headers: {
        ...(key && { 'X-API-KEY': key }),
        ...(body && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };

  beforeAll(async () => {
    server = await startProcess(folder);
    key = '';
    const account = { email: 'ann@example.com', password: 'p' };
    key = (await send('POST', 'account/register/', account)).body.account_key;
    await send('POST', 'instances/', { name: 'shop-1' });
    const schema = [
      { name: 'text', type: 'text' },
      { name: 'file', type: 'file' },
    ];
    await send('POST', 'instances/shop-1/classes/', { name: 'book', schema });
  }, 60_000);

  const books = 'instances/shop-1/classes/book/objects/';
  const text = 'x'.repeat(20_000);
  const full = { detail: 'The disk of this server is full. Nothing was stored.' };

  async function writeUntilFull(): Promise<{ made: number[]; refused: unknown }> {
    const made: number[] = [];
    for (let n = 0; n < 2000; n += 1) {
      const { status, body } = await send('POST', books, { text });
      if (status !== 201) return { made, refused: { status, body } };
      made.push(body.id);
    }
    return { made, refused: 'nothing' };
  }

  it('reports it, keeps acknowledged writes, and continues when there is space', async () => {
    writeFileSync(filler, Buffer.alloc(16 * 1024 * 1024));
    const before = await writeUntilFull();
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(4 * 1024 * 1024)]), 'a.bin');
    const upload = await send('POST', books, form);
    const probes = [(await fetch(`${server.url}/health`)).status];
    const read = await send('GET', `${books}${before.made.at(-1)}/`);
    rmSync(filler);
    probes.push((await fetch(`${server.url}/health`)).status);
    const after = await send('POST', books, { text });
    expect(await server.end('SIGKILL')).toBeNull();
    server = await startProcess(folder);

    const lost: number[] = [];
    for (const id of [...before.made, after.body.id]) {
      const found = await send('GET', `${books}${id}/`);
      if (found.status !== 200 || found.body.text !== text) lost.push(id);
    }

    expect(before.refused).toEqual({ status: 503, body: full });
    expect(before.made.length).toBeGreaterThan(10);
    expect(upload).toEqual({ status: 503, body: full });
    expect(probes).toEqual([503, 200]);
    expect([read.status, after.status]).toEqual([200, 201]);
    expect(lost).toEqual([]);
    expect(await server.end('SIGTERM')).toBe(0);
  }, 120_000);

  it('drops lines of the request log, says so, and responds', async () => {
    server = await startProcess(folder);
    const log = 'instances/shop-1/request_log/?page_size=1&method=get';
    fill();
    const statuses = new Set<number>();
    for (let n = 0; n < 60; n += 1) statuses.add((await send('GET', books)).status);
    statuses.add((await send('GET', log)).status);
    rmSync(filler);
    await send('GET', `${books}?page_size=1`);

    const { body } = await send('GET', log);

    expect([...statuses]).toEqual([200]);
    expect(server.complaints()).toMatch(/lines of the request log were dropped.*ENOSPC/);
    expect(body.objects).toMatchObject([{ parameters: ['page_size'], status: 200 }]);
    expect(await server.end('SIGTERM')).toBe(0);
  }, 60_000);

  /** Leaves no room at all. */
  function fill(): void {
    const file = openSync(filler, 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(4096));
    } catch {
      closeSync(file);
    }
  }
});
