import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { withinRequest } from '../../shared/platforms/aws/handler.ts';
import { registerExtension } from '../../shared/platforms/aws/lifetime/extension.ts';
import { openInvocations, openLateWork } from '../../shared/platforms/aws/lifetime/late-work.ts';

/* Work that continues after the response of a function, which Lambda suspends once its extensions ask for an event. */

test('Lambda may suspend a process when its invocation and all late work have ended, whichever is last', async () => {
  const events: ServerResponse[] = [];
  const runtime = createServer((request, response) => {
    response.setHeader('Lambda-Extension-Identifier', 'an-id');
    if (request.url?.endsWith('/next')) events.push(response);
    else response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(runtime, 'listening');
  const late = openLateWork();
  const invocations = openInvocations(late);
  const { port } = runtime.address() as AddressInfo; // it listens on one
  await registerExtension(`127.0.0.1:${port}`, invocations.rest);
  const asked = (count: number) => vi.waitUntil(() => events.length === count, { timeout: 10_000 });

  await asked(1);
  events[0]?.end('{}'); // the first invocation, whose run takes longer than the request
  let endRun = () => {};
  late.keep(
    new Promise((_, reject) => {
      endRun = () => reject(new Error('even if it fails'));
    }),
  );
  invocations.end();
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  const before = events.length;
  endRun();
  await asked(2);
  events[1]?.end('{}'); // the second one, without late work
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  const during = events.length;
  invocations.end();
  await asked(3);

  expect([before, during]).toEqual([1, 2]);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  runtime.close();
  runtime.closeAllConnections();
  await vi.waitUntil(() => exit.mock.calls.length > 0, { timeout: 10_000 });
  expect(exit.mock.calls).toEqual([[1]]); // or Lambda would wait for it in every invocation
  exit.mockRestore();
});

test('a request has the time of the gateway, whatever that of its function', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const contextOf = (leftMs: number) =>
    withinRequest({ getRemainingTimeInMillis: () => leftMs } as Context);
  const [long, short] = [contextOf(330_000), contextOf(5000)];
  const before = [long, short].map((context) => context.getRemainingTimeInMillis());

  vi.advanceTimersByTime(1000);
  const after = long.getRemainingTimeInMillis();
  vi.useRealTimers();

  expect([before, after]).toEqual([[29_000, 5000], 28_000]);
});
