import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import { createDownloads } from '../../shared/platforms/aws/requests/downloads.ts';
import { eventOf } from '../aws-emulator/gateway-event.ts';

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
const client = new S3Client({ region: 'eu-west-1', credentials });
const time = { ms: Date.UTC(2026, 10, 24, 12, 3, 20) };
const handler = toHandler({
  dispatch: createDownloads({ bucket: 'files', client, nowMs: () => time.ms }),
  log: () => undefined,
  clock: { micros: () => time.ms * 1000, steadyMs: () => 0 },
  ids: { random: () => 'made' },
});
const name = `${'5e'.repeat(20)}.png`;

async function ask(path: string, method = 'GET', headers = {}) {
  const { statusCode, headers: sent } = await handler(eventOf({ method, path, headers }));
  return { status: statusCode, headers: sent };
}

/** Returns the signed address that a request is redirected to. */
async function signed(method = 'GET', path = `/files/7/8/${name}`): Promise<URL> {
  const { status, headers } = await ask(path, method);
  expect(status).toBe(302);
  return new URL(headers.location ?? '');
}

test('a file is at a signed address of the bucket, for half an hour', async () => {
  const { host, pathname, searchParams } = await signed();

  expect(host + pathname).toBe(`files.s3.eu-west-1.amazonaws.com/public/7/8/${name}`);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    'X-Amz-Date': '20261124T120000Z',
    'X-Amz-Expires': '1800',
    'X-Amz-Security-Token': 'token',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('readers of a quarter of an hour get the same address, and caches keep it until its end', async () => {
  time.ms = Date.UTC(2026, 10, 24, 12, 3, 20);
  const first = await signed();
  const { headers } = await ask(`/files/7/8/${name}`);
  time.ms = Date.UTC(2026, 10, 24, 12, 14, 59);
  const last = await signed();
  time.ms = Date.UTC(2026, 10, 24, 12, 15, 0);
  const next = await signed();

  expect(last.href).toBe(first.href);
  expect(next.href).not.toBe(first.href);
  expect(headers['cache-control']).toBe('public, max-age=700');
});

test('HEAD is signed for itself', async () => {
  const [get, head] = [await signed('GET'), await signed('HEAD')];

  const signatureOf = (url: URL) => url.searchParams.get('X-Amz-Signature');
  expect(signatureOf(head)).not.toBe(signatureOf(get));
});

test('pages of other origins may follow', async () => {
  const origin = { origin: 'https://app.example' };
  const { headers } = await ask(`/files/7/8/${name}`, 'GET', origin);
  const preflight = await ask(`/files/7/8/${name}`, 'OPTIONS', {
    ...origin,
    'access-control-request-method': 'GET',
  });

  expect(headers['access-control-allow-origin']).toBe('*');
  expect(preflight.status).toBe(200);
});

test.each([
  ['GET', '/files/', 404],
  ['GET', '/files/7/8/x', 404],
  ['GET', `/files/uploads/7/8/${name}`, 404],
  ['GET', `/files/../traces/7/8/${name}`, 404],
  ['POST', `/files/7/8/${name}`, 405],
  ['DELETE', `/files/7/8/${name}`, 405],
])('%s %s is %s', async (method, path, status) => {
  expect((await ask(path, method)).status).toBe(status);
});
