import { describe, expect, vi } from 'vitest';
import type { ScriptOutcome } from '../../shared/ports/script-runner.ts';
import { type ApiResponse, expected, openWorld, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/** Storage limits of an instance where the operator has set quotas. */

const maxObjectBytes = 50_000;
const maxFileBytes = 20_000;
const maxTraceBytes = 30_000;

const it = newWorldTest('shelf', {
  settings: { maxObjectBytes, maxFileBytes, maxTraceBytes },
}).extend('shelf', ({ world }) => setUp(world));
const objects = 'classes/note/objects/';

describe('bytes of objects', () => {
  it('are limited: writes that would add more are rejected, and the rest works', async ({
    shelf,
  }) => {
    const { id } = expected(await shelf.write(30_000), 201);
    expected(await shelf.write(19_000), 201);
    expectQuotaError(await shelf.write(10_000), 'objects', maxObjectBytes);
    expectQuotaError(
      await shelf.update(id, { text: 'y'.repeat(32_000) }),
      'objects',
      maxObjectBytes,
    );
    expected(await shelf.update(id, { text: 'y'.repeat(29_000) }), 200);
    expected(await shelf.own('GET', objects), 200);
    expected(await shelf.write(100), 201);
  });

  it('are freed by a deletion and by a smaller text', async ({ shelf }) => {
    const first = expected(await shelf.write(30_000), 201);
    const second = expected(await shelf.write(15_000), 201);
    expectQuotaError(await shelf.write(20_000), 'objects', maxObjectBytes);
    expected(await shelf.destroy(first.id), 204);
    expected(await shelf.write(20_000), 201);
    expectQuotaError(await shelf.write(20_000), 'objects', maxObjectBytes);
    expected(await shelf.update(second.id, { text: '' }), 200);
    expected(await shelf.write(20_000), 201);
  });

  it('are freed by a deleted class', async ({ shelf }) => {
    expected(await shelf.write(30_000), 201);
    await shelf.dataClass('other', [{ name: 'text', type: 'text' }]);
    const other = 'classes/other/objects/';
    expectQuotaError(await shelf.write(30_000, other), 'objects', maxObjectBytes);
    expected(await shelf.own('DELETE', 'classes/note/'), 204);
    await vi.waitFor(async () => expected(await shelf.write(30_000, other), 201), {
      timeout: 30_000,
      interval: 200,
    });
  });

  it('are counted per instance', async ({ api, shelf }) => {
    expected(await shelf.write(30_000), 201);
    const neighbour = await openWorld(api, `next-to-${shelf.instance}`);
    await neighbour.dataClass('note', [{ name: 'text', type: 'text' }]);
    expected(await neighbour.own('POST', objects, { text: 'x'.repeat(30_000) }), 201);
  });

  it('are counted in a batch', async ({ shelf }) => {
    const text = 'x'.repeat(20_000);
    const request = { method: 'POST', path: shelf.base + objects, body: { text } };
    const body = { requests: [request, request, request] };
    const { body: items } = await shelf.own('POST', 'batch/', body);
    const codes = items.map(({ code }: { readonly code: number }) => code);
    expect(codes.toSorted()).toEqual([201, 201, 400]);
    expect(items).toContainEqual(
      expect.objectContaining({ content: errorBody('objects', maxObjectBytes) }),
    );
  });
});

describe('bytes of files', () => {
  it('are limited, copies included', async ({ shelf }) => {
    const { id, scan } = expected(await shelf.upload(12_000), 201);
    expectQuotaError(await shelf.upload(12_000), 'files', maxFileBytes);
    const copy = () => shelf.own('POST', objects, { scan: scan.value });
    expectQuotaError(await copy(), 'files', maxFileBytes);
    expected(await shelf.write(100), 201);
    expected(await shelf.destroy(id), 204);
    expected(await shelf.upload(12_000), 201);
  });

  it('are freed by a field that is set to null, and by a file that was given up', async ({
    shelf,
  }) => {
    const { id } = expected(await shelf.upload(12_000), 201);
    expected(await shelf.update(id, { scan: null }), 200);
    expected(await shelf.upload(12_000), 201);
    expectQuotaError(await shelf.upload(12_000), 'files', maxFileBytes);
    const schema = [
      { name: 'text', type: 'text' },
      { name: 'photo', type: 'file' },
    ];
    expected(await shelf.own('PATCH', 'classes/note/', { schema }), 200);
    const body = () => {
      const form = new FormData();
      form.append('photo', new Blob(['x'.repeat(12_000)]), 'a.txt');
      return form;
    };
    await vi.waitFor(async () => expected(await shelf.own('POST', objects, body()), 201), {
      timeout: 30_000,
      interval: 200,
    });
  });

  it('reject the form of a large upload when they are used up', async ({ shelf }) => {
    const path = 'classes/note/uploads/';
    const body = { filename: 'a.txt' };
    expected(await shelf.own('POST', path, body), 201);
    expected(await shelf.upload(20_000), 201);
    expectQuotaError(await shelf.own('POST', path, body), 'files', maxFileBytes);
  });
});

describe('bytes of traces', () => {
  it('are limited: runs continue, and their traces have neither arguments nor output', async ({
    api,
    shelf,
  }) => {
    const outcome: ScriptOutcome = {
      status: 'success',
      executedAtMs: 0,
      durationMs: 1,
      stderr: '',
      stdout: 'o'.repeat(20_000),
    };
    const spy = vi.spyOn(api.platform.scripts, 'run').mockResolvedValue(outcome);
    try {
      await makeEndpoint(shelf, 'echo', 'console.log(1)', { public: true });
      const path = 'endpoints/scripts/echo/';
      const run = () => shelf.own('POST', `${path}run/`, { a: 'b' });
      expect(expected(await run(), 200).result.stdout).toHaveLength(20_000);
      expect(expected(await run(), 200).result.stdout).toHaveLength(20_000);
      const list = (await shelf.read(`${path}traces/`)).objects;
      const traces = await Promise.all(
        list.map(({ id }: { readonly id: number }) => shelf.read(`${path}traces/${id}/`)),
      );
      const [second, first] = traces.toSorted((a, b) => b.id - a.id);
      expect(first.result.stdout).toHaveLength(20_000);
      const stderr = 'Storage quota of the instance exceeded (traces: 30000 bytes).';
      expect(second).toMatchObject({ status: 'success', args: {}, result: { stdout: '', stderr } });
    } finally {
      spy.mockRestore();
    }
  });
});

async function setUp(world: World) {
  await world.dataClass('note', [
    { name: 'text', type: 'text' },
    { name: 'scan', type: 'file' },
  ]);
  return {
    ...world,
    write: (length: number, path = objects) =>
      world.own('POST', path, { text: 'x'.repeat(length) }),
    update: (id: number, body: unknown) => world.own('PATCH', `${objects}${id}/`, body),
    destroy: (id: number) => world.own('DELETE', `${objects}${id}/`),
    upload: (length: number) => {
      const body = new FormData();
      body.append('scan', new Blob(['x'.repeat(length)]), 'a.txt');
      return world.own('POST', objects, body);
    },
  };
}

function errorBody(kind: string, bytes: number) {
  return { detail: `Storage quota of the instance exceeded (${kind}: ${bytes} bytes).` };
}

function expectQuotaError(response: ApiResponse, kind: string, bytes: number) {
  expect(response).toMatchObject({ status: 400, body: errorBody(kind, bytes) });
  expect(response.headers.get('x-error-code')).toBe('quota_exceeded');
}
