import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import type { HeadCheck } from '../../shared/core/pipeline/admission.ts';
import { openReceiver } from '../../shared/platforms/local/server/bodies/receive-body.ts';
import { patience } from '../../shared/platforms/local/server/patience.ts';
import {
  anonymousBodyBytes,
  anonymousReceivingRoom,
  maxAnonymousWaiters,
} from '../../shared/values/bounds.ts';
import { detailError } from '../../shared/values/errors/errors.ts';

/* Bodies without a valid credential share a room, which none takes by its header alone. */

const headCheck = {
  admit: async () => ({ kind: 'anonymous' }) as const,
  admitByStart: async () => undefined,
};

const settled = async () => {
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
};

/** Starts a body whose header announces the greatest length. */
function begin(
  receiver: ReturnType<typeof openReceiver>,
  address: string,
  headers: IncomingMessage['headers'] = { 'content-length': String(anonymousBodyBytes) },
) {
  const message = new IncomingMessage(new Socket());
  message.headers = headers;
  const head = { sourceAddress: address } as Request; // what the receiver reads of it
  const request = { message, head, goOn: () => undefined, onGenuine: () => undefined };
  return { message, outcome: receiver.receive(request) };
}

test('bodies that only announce their length leave room for one that arrives', async () => {
  const receiver = openReceiver({ headCheck, patience, maxConnections: 1000 });
  const silent = Array.from({ length: 600 }, (_, n) => begin(receiver, `192.0.2.${n % 10}`));
  for (const { message } of silent) message.push('x');
  await settled();

  const { message, outcome } = begin(receiver, '192.0.2.1');
  message.push('x'.repeat(anonymousBodyBytes));
  message.complete = true;
  message.push(null);

  expect(await outcome).toMatchObject({ bytes: { byteLength: anonymousBodyBytes } });
  for (const each of silent) each.message.destroy();
  expect(await Promise.all(silent.map((each) => each.outcome))).toEqual(silent.map(() => 'gone'));
});

test.each([
  [
    'an error response',
    detailError(400, 'Multipart form parse error - no boundary', 'malformed_body'),
  ],
  ['an error of the server', new Error('the store is not there')],
])('forms whose check ends with %s return their room', async (_, error) => {
  const headCheck: HeadCheck = {
    admit: async () => ({ kind: 'anonymous' }),
    admitByStart: async () => Promise.reject(error),
  };
  const receiver = openReceiver({ headCheck, patience, maxConnections: 1000 });
  const most = anonymousReceivingRoom.perAddress / anonymousBodyBytes;
  for (let n = 0; n < most + maxAnonymousWaiters + 8; n += 1) {
    const { message, outcome } = begin(receiver, '192.0.2.1', {
      'content-type': 'multipart/form-data',
      'content-length': String(2 * anonymousBodyBytes),
    });
    message.push('x'.repeat(anonymousBodyBytes + 1));

    expect(await outcome.catch((thrown: unknown) => thrown)).toBe(error);
  }

  const { message, outcome } = begin(receiver, '192.0.2.1');
  message.push('x'.repeat(anonymousBodyBytes - 1));
  await settled();
  message.push('x');
  message.complete = true;
  message.push(null);

  expect(await outcome).toMatchObject({ bytes: { byteLength: anonymousBodyBytes } });
});
