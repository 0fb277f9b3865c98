import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect } from 'vitest';
import { close, listen } from '../aws-emulator/loopback.ts';
import { type FunctionProperties, startOnRuntimeClient } from '../aws-emulator/runtime-client.ts';
import { temporaryFolder } from '../support/temporary.ts';

/* Functions that do what Lambda does not forgive: the judge of the walk must see each. */

const test = base
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-planted-'))
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('endpoint', { scope: 'file' }, async ({}, { onCleanup }) => {
    const slowMs = 300;
    const service = createServer((_, response) => setTimeout(() => response.end('{}'), slowMs));
    onCleanup(() => close(service));
    return `http://${await listen(service)}`;
  })
  .extend('plant', { scope: 'file' }, ({ folder, endpoint }) => openPlanter(folder, endpoint));

/** Registers an extension, as our functions do. */
const extension = `
const extensions = 'http://' + process.env.AWS_LAMBDA_RUNTIME_API + '/2020-01-01/extension';
const registered = await fetch(extensions + '/register', {
  method: 'POST',
  headers: { 'Lambda-Extension-Name': 'planted' },
  body: JSON.stringify({ events: globalThis.events ?? [] }),
});
const id = registered.headers.get('lambda-extension-identifier');
const next = () => fetch(extensions + '/event/next', { headers: { 'Lambda-Extension-Identifier': id } });
`;

test('a function without a fault passes', async ({ plant }) => {
  const lambda = await plant(`${extension} next();
process.once('SIGTERM', () => process.exit(0));
export const handler = async ({ n }, context) => ({ n, left: context.getRemainingTimeInMillis() });`);

  const found = await lambda.invoke({ n: 1 }, { leftMs: 2000 });

  expect(found).toEqual({ n: 1, left: expect.toSatisfy((left) => left > 1000 && left <= 2000) });
  await lambda.close();
});

test('a handler with a callback is rejected', async ({ plant }) => {
  const started = plant('export const handler = (event, context, callback) => callback(null, {});');

  await expect(started).rejects.toThrow(/^Runtime.CallbackHandlerDeprecated: /);
});

test('an error while a function is initialised is reported', async ({ plant }) => {
  const started = plant("throw new Error('no variable');");

  await expect(started).rejects.toThrow(/no variable/);
});

test('a handler that throws fails its invocation only', async ({ plant }) => {
  const lambda = await plant(
    "export const handler = async ({ n }) => { if (n === 1) throw new TypeError('one'); return n; };",
  );

  await expect(lambda.invoke({ n: 1 })).rejects.toThrow('TypeError: one');
  expect(await lambda.invoke({ n: 2 })).toBe(2);
  await lambda.close();
});

test('a request that is under way after the response is a fault', async ({ plant }) => {
  const lambda = await plant(`export const handler = async () => {
  fetch(process.env.AWS_ENDPOINT_URL + '/later').catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 100));
};`);

  await lambda.invoke({});

  await expect(lambda.close()).rejects.toThrow('planted: suspended during GET /later');
});

test('a timer does not run between requests', async ({ plant }) => {
  const lambda = await plant(`let ran = 0;
setInterval(() => { ran += 1; }, 20);
export const handler = async () => ran;`);

  const before = await lambda.invoke({});
  await sleep(1000); // 50 of its intervals

  expect(await lambda.invoke({})).toBeLessThan(Number(before) + 25);
  await lambda.close();
});

test('no connection outlives a suspension: a request fails, or has a new one', async ({
  plant,
}) => {
  const lambda = await plant(`import { Agent, request } from 'node:http';
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
export const handler = () => new Promise((resolve) => {
  const sent = request(process.env.AWS_ENDPOINT_URL, { agent }, (response) => {
    response.resume().once('end', () => resolve(sent.reusedSocket ? 'an old one' : 'a new one'));
  });
  sent.once('error', ({ code }) => resolve(code)).end();
});`);
  const found: unknown[] = [];

  for (let n = 0; n < 8; n += 1) found.push(await lambda.invoke({}));

  // which of both depends on what the process hears of first, the end of its connection or its next event
  expect(found.filter((one) => !/^(ECONNRESET|EPIPE|a new one)$/.test(String(one)))).toEqual([]);
  expect(found).toHaveLength(8);
  await lambda.close();
});

test('an invocation that lasts too long, or an extension that does not rest, ends the process', async ({
  plant,
}) => {
  const slow = await plant(
    'export const handler = () => new Promise((resolve) => setTimeout(resolve, 60_000));',
    {
      Timeout: 1,
    },
  );
  const restless = await plant(
    `globalThis.events = ['INVOKE'];${extension}
next();
export const handler = async () => 'early';`,
    { Timeout: 1 },
  );

  await expect(slow.invoke({})).rejects.toThrow('Task timed out after 1000 ms');
  expect(await restless.invoke({})).toBe('early');
  await expect(restless.invoke({})).rejects.toThrow('Task timed out after 1000 ms');

  await expect(slow.close()).rejects.toThrow('Task timed out');
  await expect(restless.close()).rejects.toThrow('Task timed out');
});

test('more than three quarters of the memory are a fault', async ({ plant }) => {
  const lambda = await plant(`export const handler = async () => {
  globalThis.kept = Buffer.alloc(80 * 2 ** 20, 1);
};`);

  await lambda.invoke({});

  await expect(lambda.close()).rejects.toThrow(/planted: has used 1?\d\d % of 128 MB/);
});

test('a function that does not end on SIGTERM is a fault', async ({ plant }) => {
  const lambda = await plant(`${extension} next();
process.on('SIGTERM', () => undefined);
export const handler = async () => undefined;`);

  await lambda.invoke({});

  await expect(lambda.close()).rejects.toThrow('planted: ended with SIGKILL after 2');
});

test('an extension is registered while a function is initialised, and not for its end', async ({
  plant,
}) => {
  const lambda = await plant(`const register = async (event) => {
  const { status } = await fetch(
    'http://' + process.env.AWS_LAMBDA_RUNTIME_API + '/2020-01-01/extension/register',
    { method: 'POST', headers: { 'Lambda-Extension-Name': event }, body: JSON.stringify({ events: [event] }) },
  );
  return status;
};
const early = await register('SHUTDOWN');
export const handler = async () => [early, await register('INVOKE')];`);

  expect(await lambda.invoke({})).toEqual([400, 403]);
  await lambda.close();
});

/** Returns a function that starts a function with some source; its requests go to the endpoint. */
function openPlanter(folder: string, endpoint: string) {
  return (source: string, more: Partial<FunctionProperties> = {}) => {
    const bundle = join(mkdtempSync(join(folder, 'function-')), 'index.mjs');
    writeFileSync(bundle, source);
    const properties = {
      FunctionName: 'planted',
      Handler: 'index.handler',
      MemorySize: 128,
      Timeout: 5,
      ...more,
    };
    const variables = { AWS_ENDPOINT_URL: endpoint };
    return startOnRuntimeClient<object, unknown>(bundle, variables, properties);
  };
}
