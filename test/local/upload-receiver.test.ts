import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUploadForms } from '../../shared/platform/local/files/upload-form.ts';
import { receiveUpload } from '../../shared/platform/local/files/upload-receiver.ts';
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

/** Starts an upload: the fields and the head of the file have arrived. */
async function beginUpload() {
  const forms = createUploadForms(
    () => 'http://x:1',
    () => 0,
  );
  const terms = { contentType: 'text/plain', maxBytes: 1000, seconds: 60 };
  const { fields } = forms.make(ownedKey(`uploads/1/1/0/${'a'.repeat(40)}`).key, terms);
  const received: string[] = [];
  const files = {
    forms,
    receive: async (_key: unknown, _type: string, parts: AsyncIterable<Uint8Array>) => {
      for await (const part of parts) received.push(Buffer.from(part).toString());
    },
  };
  const message = new IncomingMessage(new Socket());
  message.headers['content-type'] = 'multipart/form-data; boundary=b';
  const outcome: { error?: ApiError | undefined; isOver: boolean } = { isOver: false };
  void receiveUpload(files, message).then((error) => {
    Object.assign(outcome, { error, isOver: true });
  });
  const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
  const send = async (text: string | null) => {
    message.complete = text === null;
    message.push(text);
    await settled();
  };
  for (const [name, value] of Object.entries(fields))
    await send(`${head(name)}\r\n\r\n${value}\r\n`);
  await send(`${head('file')}; filename="a"\r\nContent-Type: text/plain\r\n\r\n`);
  return { message, outcome, received, send };
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

  it('may take any time while bytes arrive', async () => {
    const { outcome, received, send } = await beginUpload();

    for (let n = 0; n < 5; n += 1) {
      await send('some');
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await send('\r\n--b--\r\n');
    await send(null);
    await settled();

    expect(outcome).toEqual({ isOver: true, error: undefined });
    expect(received.join('')).toBe('some'.repeat(5));
  });
});
