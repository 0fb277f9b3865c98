import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { createUploadForms } from '../../shared/platforms/local/files/upload-form.ts';
import { receiveUpload } from '../../shared/platforms/local/files/upload-receiver.ts';
import { openReceiver } from '../../shared/platforms/local/server/bodies/receive-body.ts';
import { patience } from '../../shared/platforms/local/server/patience.ts';
import {
  anonymousBodyBytes,
  minUploadRate,
  uncountedBodyBytes,
} from '../../shared/values/bounds.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { ownedKey } from '../support/has-file.ts';

/* A large upload to the disk, with pauses. Time is simulated. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const settled = async () => {
  for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
};

const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
const fileHead = `${head('file')}; filename="a"\r\nContent-Type: text/plain\r\n\r\n`;
const maxBytes = 1_000_000;
const terms = { contentType: 'text/plain', maxBytes, seconds: 60 };
const forms = createUploadForms(
  () => 'http://x:1',
  () => 0,
);
/** Returns the fields of a genuine form for an instance. */
function genuineFields(instance = 1): string {
  const { key } = ownedKey(`uploads/${instance}/1/0/${'a'.repeat(40)}`);
  return Object.entries(forms.make(key, terms).fields)
    .map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`)
    .join('');
}
const genuine = genuineFields();

/** More than half of the fields that a form may have: its claim is for all. */
const largeField = `${head('a')}\r\n\r\n${'x'.repeat(60_000)}`;
/** Forms of one address that have room with such a field; all addresses together have twice as much. */
const mostForms = Math.floor(8_388_608 / (anonymousBodyBytes - uncountedBodyBytes));

const open = () => openReceiver({ headCheck: undefined, patience, maxConnections: 16 });

/** Starts a form of which nothing has arrived. */
function beginForm(
  receiver = open(),
  { address = '192.0.2.1', contentType = 'multipart/form-data; boundary=b' } = {},
) {
  const received: string[] = [];
  const files = {
    forms,
    receive: async (_key: unknown, _type: string, parts: AsyncIterable<Uint8Array>) => {
      for await (const part of parts) received.push(Buffer.from(part).toString());
    },
  };
  const message = new IncomingMessage(new Socket());
  const outcome: { error?: ApiError | undefined; isOver: boolean } = { isOver: false };
  const seen = { isGenuine: false };
  const request = {
    message,
    head: { sourceAddress: address } as Request, // what the receiver reads of it
    goOn: () => undefined,
    onGenuine: () => {
      seen.isGenuine = true;
    },
  };
  const receiveForm = receiver.receiveForm.bind(undefined, request);
  void receiveUpload(files, { contentType, receiveForm }).then((error) => {
    Object.assign(outcome, { error, isOver: true });
  });
  const send = async (text: string | null) => {
    message.complete = text === null;
    message.push(text);
    await settled();
  };
  return { message, outcome, received, seen, send };
}

/** Starts an upload: the fields and the head of the file have arrived. */
async function beginUpload(receiver = open(), { instance = 1, address = '192.0.2.1' } = {}) {
  const form = beginForm(receiver, { address });
  await form.send(genuineFields(instance));
  await form.send(fileHead);
  return form;
}

describe('a large upload', () => {
  it('is aborted when no bytes arrive for thirty seconds', async () => {
    const { message, outcome, send } = await beginUpload();
    await send('some');

    await vi.advanceTimersByTimeAsync(29_999);
    const before = { ...outcome };
    await vi.advanceTimersByTimeAsync(1);
    await settled();

    expect(before).toEqual({ isOver: false });
    expect(outcome).toEqual({ isOver: true, error: expect.any(ApiError) });
    expect([outcome.error?.status, outcome.error?.code]).toEqual([408, 'request_timeout']);
    expect(message.destroyed).toBe(true);
  });

  it('may take any time while enough bytes arrive', async () => {
    const { outcome, received, send } = await beginUpload();
    const some = 'x'.repeat(40 * minUploadRate);

    for (let n = 0; n < 5; n += 1) {
      await send(some);
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await send('\r\n--b--\r\n');
    await send(null);
    await settled();

    expect(outcome).toEqual({ isOver: true, error: undefined });
    expect(received.join('')).toBe(some.repeat(5));
  });

  it('is aborted when it is slower than a kilobyte per second', async () => {
    const { outcome, send } = await beginUpload();

    for (let n = 0; n < 30 && !outcome.isOver; n += 1) {
      await send('x'.repeat(minUploadRate - 100));
      await vi.advanceTimersByTimeAsync(1000);
    }
    await settled();

    expect(outcome.error).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('may not go on after its file for ever', async () => {
    const { outcome, send } = await beginUpload();
    await send(`some\r\n${head('next')}\r\n\r\n`);

    for (let n = 0; n < 200 && !outcome.isOver; n += 1) await send('x'.repeat(10_000));

    expect(outcome.error).toMatchObject({ status: 413, code: 'too_large' });
  });

  it('has a quarter of all uploads for its instance', async () => {
    const receiver = open(); // of 8 uploads
    const uploads = [];
    for (let n = 0; n < 3; n += 1) uploads.push(await beginUpload(receiver));
    for (const { send } of uploads) await send('some of the file');
    await vi.advanceTimersByTimeAsync(2000);
    await settled();

    expect(uploads.map(({ outcome }) => outcome.error?.status)).toEqual([
      undefined,
      undefined,
      503,
    ]);
    expect(uploads.map(({ seen }) => seen.isGenuine)).toEqual([true, true, false]);
  });
});

describe('when all places of large uploads are taken', () => {
  /** Takes the 8 places for four instances, from two addresses. */
  async function fill(receiver = open()) {
    const uploads = [];
    for (let n = 0; n < 8; n += 1) {
      const address = `192.0.2.${1 + (n % 2)}`;
      uploads.push(await beginUpload(receiver, { instance: 1 + (n >> 1), address }));
    }
    for (const { send } of uploads) await send('some');
    expect(uploads.map(({ seen }) => seen.isGenuine)).toEqual(uploads.map(() => true));
    return { receiver, uploads };
  }

  it('the slowest makes room for one of an instance and an address with fewer', async () => {
    const { receiver, uploads } = await fill();
    for (const [at, { send }] of uploads.entries()) if (at !== 5) await send('x'.repeat(5000));

    const other = await beginUpload(receiver, { instance: 9, address: '198.51.100.1' });
    await other.send('some\r\n--b--\r\n');
    await other.send(null);
    await settled();

    expect(other.outcome).toEqual({ isOver: true, error: undefined });
    const ended = uploads.map(({ outcome }) => outcome.error?.status);
    expect(ended).toEqual(uploads.map((_, at) => (at === 5 ? 503 : undefined)));
  });

  it('the next one of those who have most gets none', async () => {
    const { receiver, uploads } = await fill();

    const next = await beginUpload(receiver, { instance: 1 });
    await next.send('some of the file');
    await vi.advanceTimersByTimeAsync(2000);
    await settled();

    expect(next.outcome.error?.status).toBe(503);
    expect(uploads.filter(({ outcome }) => outcome.isOver)).toEqual([]);
  });
});

describe('the fields of a form, before its signature', () => {
  it('are aborted after fifteen seconds', async () => {
    const { outcome, seen, send } = beginForm();

    for (let n = 0; n < 15; n += 1) {
      expect(outcome.isOver).toBe(false);
      await send('-');
      await vi.advanceTimersByTimeAsync(1000);
    }
    await settled();

    expect(outcome.error).toMatchObject({ status: 408, code: 'request_timeout' });
    expect(seen.isGenuine).toBe(false);
  });

  it('are aborted after a pause of five seconds', async () => {
    const { outcome, send } = beginForm();
    await send('-');

    await vi.advanceTimersByTimeAsync(5000);
    await settled();

    expect(outcome.error).toMatchObject({ status: 408, code: 'request_timeout' });
  });

  it('have 64 KB', async () => {
    const { outcome, send } = beginForm();
    await send(`${head('policy')}\r\n\r\n`);

    for (let n = 0; n < 20 && !outcome.isOver; n += 1) await send('x'.repeat(5000));

    expect(outcome.error).toMatchObject({ status: 413, body: expect.anything() });
    expect(outcome.error?.body).toEqual({
      detail: `Request size limit exceeded (${anonymousBodyBytes}).`,
    });
  });

  it('are counted for their address', async () => {
    const receiver = open();
    const all = Array.from({ length: mostForms + 64 + 1 }, () => beginForm(receiver));
    for (const { send } of all) await send(largeField);
    const atOnce = all.filter(({ outcome }) => outcome.isOver).length;
    await vi.advanceTimersByTimeAsync(2000);
    await settled();

    expect(atOnce).toBe(1);
    const busy = all.filter(({ outcome }) => outcome.error?.status === 503);
    expect(busy).toHaveLength(64 + 1);
  });

  it('leave the head of a part no more than 2 KB', async () => {
    const { outcome, send } = beginForm();
    const long = `; x="${'y'.repeat(3000)}"; filename="a"`;

    await send(`${genuine}${head('file')}${long}\r\n\r\nsome\r\n--b--\r\n`);
    await send(null);
    await settled();

    expect(outcome.error).toMatchObject({ status: 400, code: 'malformed_body' });
  });
});

describe('forms of which little has arrived', () => {
  it('take no room from genuine ones, from wherever they come', async () => {
    const receiver = open();
    for (let n = 0; n < 300; n += 1) {
      const { send } = beginForm(receiver, { address: `192.0.2.${n % 10}` });
      await send('-');
    }

    const { outcome, received, send } = await beginUpload(receiver);
    await send('some\r\n--b--\r\n');
    await send(null);
    await settled();

    expect(outcome).toEqual({ isOver: true, error: undefined });
    expect(received.join('')).toBe('some');
  });

  it('are counted once their fields have arrived', async () => {
    const receiver = open();
    const forms = Array.from({ length: 300 }, (_, n) =>
      beginForm(receiver, { address: `192.0.2.${n % 10}` }),
    );
    for (const { send } of forms) await send(largeField);
    await vi.advanceTimersByTimeAsync(3000);
    await settled();

    const refused = forms.filter(({ outcome }) => outcome.error?.status === 503);
    expect(refused).toHaveLength(300 - 2 * mostForms);
  });

  it('are counted by what has arrived, not by what their header announces', async () => {
    const receiver = open();
    const field = `${head('a')}\r\n\r\n${'x'.repeat(3000)}`;
    const forms = Array.from({ length: 1000 }, (_, n) =>
      beginForm(receiver, { address: `192.0.2.${n % 10}` }),
    );
    for (const { send } of forms) await send(field);
    await vi.advanceTimersByTimeAsync(3000);
    await settled();

    expect(forms.filter(({ outcome }) => outcome.isOver)).toEqual([]);
  });

  it.each([
    ['none', 'multipart/form-data; a-boundary=b'],
    ['a long one', `multipart/form-data; boundary=${'a'.repeat(257)}`],
  ])('are no forms with a boundary that no parser accepts: %s', async (_, contentType) => {
    const { outcome } = beginForm(open(), { contentType });
    await settled();

    expect(outcome.error).toMatchObject({ status: 400, code: 'malformed_body' });
  });
});
