import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { machine } from '../scripts/python-hosts.ts';
import type { World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/* Bytes in responses of scripts: docs/reference/scripts.md#bytes. In Pyodide: test/soak/pyodide-bytes.test.ts. */

const it = worldTest();

const node = (content: string) => ({
  runtime_name: 'nodejs_v8',
  source: `const bytes = Buffer.from(ARGS.b, 'base64'); setResponse(new HttpResponse(200, ${content}, 'a/b'))`,
});
const python = (content: string) => ({
  runtime_name: 'python3',
  source: `from base64 import b64decode\nset_response(HttpResponse(200, ${content}(b64decode(ARGS['b'])), 'a/b'))`,
});
/** Scripts that respond with the bytes of `b`, which is base64. */
const echoes = [
  ['Buffer', node('bytes')],
  ['Uint8Array', node('Uint8Array.from(bytes)')],
  ['ArrayBuffer', node('Uint8Array.from(bytes).buffer')],
  ['bytes', python('bytes')],
  ['bytearray', python('bytearray')],
  ['memoryview', python('memoryview')],
] as const;
const byteStrings = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 100 }).map((text) => new TextEncoder().encode(text)),
  fc.constantFrom(
    Uint8Array.from([]),
    Uint8Array.from([0xef, 0xbb, 0xbf, 65]),
    Uint8Array.from([0xff, 0xfe, 65, 0]),
    Uint8Array.from([0xed, 0xa0, 0x80]),
    Uint8Array.from({ length: 5000 }, (_, at) => at),
  ),
);
const png = [0x89, 0x50, 0x4e, 0x47];
const sendPng = `setResponse(new HttpResponse(201, Buffer.from(${JSON.stringify(png)}), 'image/png'))`;
const inBase64 = 'iVBORw==';

describe('bytes that a script sends arrive as they were', () => {
  it.for(
    echoes.filter(([, script]) => script.runtime_name === 'nodejs_v8' || machine !== undefined),
  )('in a %s', async ([name, { source, ...runtime }], { world }) => {
    const { links } = await makeEndpoint(world, name, source, runtime);

    await fc.assert(
      fc.asyncProperty(byteStrings, async (bytes) => {
        expect(await received(world, links.run ?? '', bytes)).toEqual([
          200,
          'a/b',
          Buffer.from(bytes),
        ]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('bytes that are no text are shown in base64', () => {
  it('in a trace', async ({ api, world }) => {
    await makeEndpoint(world, 'traced', sendPng);
    await api.send({ as: world.owner, path: `${world.base}endpoints/scripts/traced/run/` });

    const traces = await world.own('GET', 'endpoints/scripts/traced/traces/');

    expect(expected(traces, 200).objects[0].result.response).toEqual({
      status: 201,
      content_type: 'image/png',
      content: inBase64,
      encoding: 'base64',
    });
  });

  it('in a batch, whose entry says so', async ({ world }) => {
    await makeEndpoint(world, 'batched', sendPng);
    await makeEndpoint(
      world,
      'text',
      'setResponse(new HttpResponse(200, Buffer.from(\'[1, "ż"]\')))',
    );
    const requests = ['batched', 'text'].map((name) => ({
      method: 'POST',
      path: `${world.base}endpoints/scripts/${name}/run/`,
    }));

    const batch = await world.own('POST', 'batch/', { requests });

    expect(expected(batch, 200)).toEqual([
      { code: 201, content: inBase64, encoding: 'base64' },
      { code: 200, content: [1, 'ż'] },
    ]);
  });
});

describe.skipIf(machine === undefined)('NaN in a response of Python', () => {
  const source = "set_response(HttpResponse(200, {'x': float('nan')}))";

  it('is a failure that says so, alone and in a batch', async ({ api, world }) => {
    const { links } = await makeEndpoint(world, 'nan', source, { runtime_name: 'python3' });
    const failure = {
      status: 'failure',
      result: { stderr: expect.stringContaining('NaN and Infinity are not JSON') },
    };

    const alone = await api.send({ as: world.owner, path: links.run ?? '' });
    const batch = await world.own('POST', 'batch/', {
      requests: [{ method: 'GET', path: links.run }],
    });

    expect([alone.status, alone.body]).toEqual([
      200,
      expect.objectContaining({ status: 'failure' }),
    ]);
    expect(alone.body).toMatchObject(failure);
    expect(batch.body).toMatchObject([{ code: 200, content: failure }]);
  });
});

async function received(world: World, path: string, bytes: Uint8Array) {
  const response = await fetch(world.api.url + path, {
    method: 'POST',
    headers: { 'X-API-KEY': world.owner, 'Content-Type': 'application/json' },
    body: JSON.stringify({ b: Buffer.from(bytes).toString('base64') }),
  });
  const { status, headers } = response;
  return [status, headers.get('content-type'), Buffer.from(await response.arrayBuffer())];
}
