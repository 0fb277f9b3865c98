import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { consoleSteps } from '../../shared/console/console-steps.ts';
import { createServe, type EdgeStep, edgeSteps } from '../../shared/core/http/edge.ts';
import type { Content, Request, Response } from '../../shared/core/http/message.ts';
import { keepForeignHeaders } from '../../shared/core/pipeline/foreign-headers.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { eventOf } from '../aws-emulator/gateway-event.ts';

const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';
const ports = {
  log: () => undefined,
  clock: { micros: () => 0, steadyMs: () => 0 },
  ids: { random: () => 'r1' },
};
const sent = { id: 'r1', method: 'GET', path: '/', headers: {}, sourceAddress: '10.0.0.1' };
const request: Request = {
  ...sent,
  query: new URLSearchParams(),
  body: { kind: 'bytes', bytes: new Uint8Array() },
};

/** Both platforms, with the steps of the interface and those of the console. */
const platforms: readonly [string, (response: Response) => Promise<Response['headers']>][] = [
  ['one machine', (response) => onOneMachine(edgeSteps(ports), response)],
  ['AWS', (response) => onAws(edgeSteps(ports), response)],
  ['one machine, at the paths of the console', (each) => onOneMachine(ofConsole, each)],
  ['AWS, at the paths of the console', (each) => onAws(ofConsole, each)],
];
const ofConsole = consoleSteps(ports, () => []);

async function onOneMachine(steps: readonly EdgeStep[], response: Response) {
  const serve = createServe({ ...ports, dispatch: async () => response }, steps);
  return (await serve(request)).headers;
}

async function onAws(steps: readonly EdgeStep[], response: Response) {
  return (await toHandler({ ...ports, dispatch: async () => response }, steps)(eventOf(sent)))
    .headers;
}

const policyOf = (headers: Response['headers']) => headers?.['content-security-policy'] ?? '';
/** Returns the flags of each policy that has a sandbox. A document has those that all of them allow. */
const sandboxesOf = (policy: string) =>
  policy
    .split(',')
    .flatMap((each) => each.split(';'))
    .map((directive) => directive.trim())
    .filter((directive) => directive.startsWith('sandbox'));

const kinds: readonly string[] = [
  'text/html',
  'TEXT/HTML; charset=utf-8',
  'application/xhtml+xml',
  'image/svg+xml',
  'application/xml',
  'text/xml',
  'text/xsl',
  'application/json',
  'application/json; charset=utf-8',
  'multipart/x-mixed-replace; boundary=x',
  'text/plain',
  'application/pdf',
  'x/y',
];

describe.each(platforms)('on %s', (_, serve) => {
  test.each(kinds)('%s that is not ours has an origin of its own', async (type) => {
    for (const own of ['', "script-src 'none'", 'sandbox allow-same-origin allow-scripts']) {
      const headers: Record<string, string> = own === '' ? {} : { 'CONTENT-security-policy': own };
      const response = { status: 201, headers, content: { type, bytes: '<script>' } };

      const served = await serve(response);

      expect(sandboxesOf(policyOf(served))).toContain(sandbox);
      expect(policyOf(served)).toContain(own);
      expect(served?.['x-content-type-options']).toBe('nosniff');
    }
  });

  test('so has a stream', async () => {
    async function* pieces() {
      yield '';
    }
    const served = await serve({ status: 200, stream: { type: 'text/html', pieces: pieces() } });

    expect(policyOf(served)).toContain(sandbox);
  });

  test('only what says that it is ours, JSON and what has no content, has our origin', async () => {
    const content: Content = { type: 'text/html', bytes: '<p>', isOwn: true };

    const all = [
      await serve({
        status: 200,
        content,
        headers: { 'Content-Security-Policy': "img-src 'none'" },
      }),
      await serve({ status: 200, body: { a: 1 } }),
      await serve({ status: 204 }),
    ];

    expect(all.map((headers) => sandboxesOf(policyOf(headers)))).toEqual([[], [], []]);
    expect(policyOf(all[0])).toBe("img-src 'none'");
  });
});

test('policies of foreign code in any case are one header, and all of them apply', () => {
  const headers = { 'CONTENT-SECURITY-POLICY': 'x', 'Content-Security-Policy': 'y', 'X-Own': '1' };

  const kept = keepForeignHeaders({ status: 201, headers });

  expect(kept.headers).toEqual({ 'X-Own': '1', 'content-security-policy': 'x, y' });
});

test('a response does not affect all of our origin', () => {
  const headers = {
    NEL: '{"report_to": "x", "max_age": 9}',
    'Report-To': '{}',
    'clear-site-data': '"*"',
    'Strict-Transport-Security': 'max-age=9',
    'Alt-Svc': 'h2=":1"',
    'Accept-CH': 'DPR',
    'Service-Worker-Allowed': '/',
    'X-Accel-Redirect': '/private/',
    'Content-Security-Policy-Report-Only': 'x',
    Allow: 'GET',
    Location: '/x',
  };

  const kept = keepForeignHeaders({ status: 201, headers });

  expect(Object.keys(kept.headers ?? {})).toEqual(['Location']);
});

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = ['shared', 'functions', 'bin', 'lib'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs|cjs)$/.test(name))
    .map((name) => `${folder}/${name}`),
);
const sourcesWith = (pattern: RegExp) =>
  sources.filter((name) => pattern.test(readFileSync(join(root, name), 'utf8'))).toSorted();

test('these sources make content of our own, and no others', () => {
  expect(sourcesWith(/\bisOwn: true/)).toEqual([
    'shared/console/console.ts', // files of the console, and the page with all operations
    'shared/core/http/write-response.ts', // JSON
    'shared/core/pages/render.ts', // pages for browsers
  ]);
});

test('these sources send responses without the steps of the edge, and no others', () => {
  expect(sourcesWith(/\.writeHead\(/)).toEqual([
    'shared/platforms/local/files/file-server.ts', // isolates files itself
    'shared/platforms/local/metrics/socket.ts', // a socket of its own, which no browser opens
    'shared/platforms/local/server/send-response.ts', // after the steps
    'shared/platforms/local/server/server.ts', // likewise
  ]);
});

// a cache replaces the headers of what it has by those of a 304 (RFC 9111, 3.2), Chromium the policy as well
describe.each(platforms)('%s', (_, headersOf) => {
  test.each([204, 304])('a status %i of foreign code keeps its origin', async (status) => {
    const headers = await headersOf({
      status,
      headers: { etag: '"x"', 'content-security-policy': "default-src * 'unsafe-inline'" },
      content: { type: 'text/html', bytes: '' },
    });
    expect(policyOf(headers)).toContain(sandbox);
  });
});
