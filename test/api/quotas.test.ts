import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ScriptOutcome } from '../../shared/ports/script-runner.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/** Storage limits of an instance where the operator has set quotas. */

let world: World;
let objects: string;
let count = 0;

const maxObjectBytes = 50_000;
const maxFileBytes = 20_000;
const maxTraceBytes = 30_000;

useApi({ settings: { maxObjectBytes, maxFileBytes, maxTraceBytes } });
beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `shelf-${count}`);
  objects = `${await world.dataClass('note', [
    { name: 'text', type: 'text' },
    { name: 'scan', type: 'file' },
  ])}objects/`;
});

const as = () => ({ as: world.owner });
const create = (length: number, path = objects) =>
  api.send({ ...as(), path, body: { text: 'x'.repeat(length) } });
const destroy = (id: number) => api.send({ ...as(), method: 'DELETE', path: `${objects}${id}/` });
const update = (id: number, body: unknown) =>
  api.send({ ...as(), method: 'PATCH', path: `${objects}${id}/`, body });

function errorBody(kind: string, bytes: number) {
  return { detail: `Storage quota of the instance exceeded (${kind}: ${bytes} bytes).` };
}

function expectQuotaError(
  response: Awaited<ReturnType<typeof create>>,
  kind: string,
  bytes: number,
) {
  expect(response).toMatchObject({ status: 400, body: errorBody(kind, bytes) });
  expect(response.headers.get('x-error-code')).toBe('quota_exceeded');
}

describe('bytes of objects', () => {
  it('are limited: writes that would add more are rejected, and the rest works', async () => {
    const { id } = expected(await create(30_000), 201);
    expected(await create(19_000), 201);
    expectQuotaError(await create(10_000), 'objects', maxObjectBytes);
    expectQuotaError(await update(id, { text: 'y'.repeat(32_000) }), 'objects', maxObjectBytes);
    expected(await update(id, { text: 'y'.repeat(29_000) }), 200);
    expected(await api.send({ ...as(), path: objects }), 200);
    expected(await create(100), 201);
  });

  it('are freed by a deletion and by a smaller text', async () => {
    const first = expected(await create(30_000), 201);
    const second = expected(await create(15_000), 201);
    expectQuotaError(await create(20_000), 'objects', maxObjectBytes);
    expected(await destroy(first.id), 204);
    expected(await create(20_000), 201);
    expectQuotaError(await create(20_000), 'objects', maxObjectBytes);
    expected(await update(second.id, { text: '' }), 200);
    expected(await create(20_000), 201);
  });

  it('are freed by a deleted class', async () => {
    expected(await create(30_000), 201);
    const other = `${await world.dataClass('other', [{ name: 'text', type: 'text' }])}objects/`;
    expectQuotaError(await create(30_000, other), 'objects', maxObjectBytes);
    const path = `${world.base}classes/note/`;
    expected(await api.send({ ...as(), method: 'DELETE', path }), 204);
    await vi.waitFor(async () => expected(await create(30_000, other), 201), {
      timeout: 30_000,
      interval: 200,
    });
  });

  it('are counted per instance', async () => {
    expected(await create(30_000), 201);
    const neighbour = await openWorld(api, `next-${count}`);
    const path = `${await neighbour.dataClass('note', [{ name: 'text', type: 'text' }])}objects/`;
    const body = { text: 'x'.repeat(30_000) };
    expected(await api.send({ as: neighbour.owner, path, body }), 201);
  });

  it('are counted in a batch', async () => {
    const request = { method: 'POST', path: objects, body: { text: 'x'.repeat(20_000) } };
    const body = { requests: [request, request, request] };
    const { body: items } = await api.send({ ...as(), path: `${world.base}batch/`, body });
    const codes = items.map(({ code }: { readonly code: number }) => code);
    expect(codes.toSorted()).toEqual([201, 201, 400]);
    expect(items).toContainEqual(
      expect.objectContaining({ content: errorBody('objects', maxObjectBytes) }),
    );
  });
});

describe('bytes of files', () => {
  const upload = (length: number) => {
    const body = new FormData();
    body.append('scan', new Blob(['x'.repeat(length)]), 'a.txt');
    return api.send({ ...as(), path: objects, body });
  };

  it('are limited, copies included', async () => {
    const { id, scan } = expected(await upload(12_000), 201);
    expectQuotaError(await upload(12_000), 'files', maxFileBytes);
    const copy = () => api.send({ ...as(), path: objects, body: { scan: scan.value } });
    expectQuotaError(await copy(), 'files', maxFileBytes);
    expected(await create(100), 201);
    expected(await destroy(id), 204);
    expected(await upload(12_000), 201);
  });

  it('are freed by a field that is set to null, and by a file that was given up', async () => {
    const { id } = expected(await upload(12_000), 201);
    expected(await update(id, { scan: null }), 200);
    expected(await upload(12_000), 201);
    expectQuotaError(await upload(12_000), 'files', maxFileBytes);
    const path = `${world.base}classes/note/`;
    const schema = [
      { name: 'text', type: 'text' },
      { name: 'photo', type: 'file' },
    ];
    expected(await api.send({ ...as(), method: 'PATCH', path, body: { schema } }), 200);
    const body = () => {
      const form = new FormData();
      form.append('photo', new Blob(['x'.repeat(12_000)]), 'a.txt');
      return form;
    };
    await vi.waitFor(
      async () => expected(await api.send({ ...as(), path: objects, body: body() }), 201),
      { timeout: 30_000, interval: 200 },
    );
  });

  it('reject the form of a large upload when they are used up', async () => {
    const path = `${world.base}classes/note/uploads/`;
    const body = { filename: 'a.txt' };
    expected(await api.send({ ...as(), path, body }), 201);
    expected(await upload(20_000), 201);
    expectQuotaError(await api.send({ ...as(), path, body }), 'files', maxFileBytes);
  });
});

describe('bytes of traces', () => {
  it('are limited: runs continue, and their traces have neither arguments nor output', async () => {
    const outcome: ScriptOutcome = {
      status: 'success',
      executedAtMs: 0,
      durationMs: 1,
      stderr: '',
      stdout: 'o'.repeat(20_000),
    };
    const spy = vi.spyOn(api.platform.scripts, 'run').mockResolvedValue(outcome);
    try {
      await makeEndpoint(world, 'echo', 'console.log(1)', { public: true });
      const path = `${world.base}endpoints/scripts/echo/`;
      const run = () => api.send({ ...as(), path: `${path}run/`, body: { a: 'b' } });
      expect(expected(await run(), 200).result.stdout).toHaveLength(20_000);
      expect(expected(await run(), 200).result.stdout).toHaveLength(20_000);
      const list = expected(await api.send({ ...as(), path: `${path}traces/` }), 200).objects;
      const traces = await Promise.all(
        list.map(async ({ id }: { readonly id: number }) =>
          expected(await api.send({ ...as(), path: `${path}traces/${id}/` }), 200),
        ),
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
