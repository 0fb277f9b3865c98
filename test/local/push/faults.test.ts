import { expect, test } from 'vitest';
import { configure } from '../../support/push.ts';
import { type ArrivedPush, fcmError, type Reaction } from '../../support/push-service.ts';
import { startSending, useSendingApi } from './sending-api.ts';

/* Pushes to a service with faults, and to a hostile one. */

useSendingApi();

const busy = fcmError(503, 'UNAVAILABLE', { 'retry-after': '1' });
const gone = fcmError(404, 'UNREGISTERED');

/** Reacts to a push of `device-<number>`; each fault has some devices. */
function faulty({ token, earlier }: ArrivedPush): Reaction {
  const number = Number(token.slice('device-'.length));
  if (number % 50 === 7) return gone;
  if (number % 50 === 19) return 'lose';
  if (earlier > 0) return 'accept';
  if (number % 50 === 31) return 'refuse';
  if (number % 100 === 43) return busy;
  return number % 250 === 61 ? 'goaway' : 'accept';
}

test('a thousand devices take at most five seconds, with faults of each kind', async () => {
  const tokens = Array.from({ length: 1000 }, (_, at) => `device-${at}`);
  const { service, world, send } = await startSending({ react: faulty, delayMs: 20 });
  await configure(world, 'gcm');
  await send('gcm', ['first']);

  const begin = performance.now();
  const { status, result } = await send('gcm', tokens);
  const ms = performance.now() - begin;

  const counts = [result.success, result.errors.NotRegistered, result.errors.Unknown].map(
    (each) => Object.keys(each).length,
  );
  expect([status, counts]).toEqual(['partially_delivered', [960, 20, 20]]);
  expect(Object.keys(result.errors).sort()).toEqual(['NotRegistered', 'Unknown']);
  const processed = service.arrived.filter((push) =>
    ['accept', 'lose', 'goaway'].includes(String(faulty(push))),
  );
  expect(new Set(processed.map(({ token }) => token)).size).toBe(processed.length);
  expect(service.connections()).toBe(5);
  expect(ms).toBeLessThan(5000);
});
