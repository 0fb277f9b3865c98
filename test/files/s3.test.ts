import { createServer, type IncomingMessage } from 'node:http';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { test as base, describe, expect } from 'vitest';
import { openFiles } from '../../shared/platforms/aws/files.ts';
import { dataOwner } from '../../shared/values/file-keys.ts';
import { readPrivateFile } from '../../shared/values/files/file-addresses.ts';
import { respondAsS3, type S3Objects, type S3Response } from '../aws-emulator/fake-s3.ts';
import { close, listen } from '../aws-emulator/loopback.ts';
import { hasFile, ownedKey } from '../support/has-file.ts';
import { filesConform } from './conformance.ts';

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' };
const place = { bucket: 'files', address: 'https://cdn.example' };

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('bucket', { scope: 'file' }, async ({}, { onCleanup }) => {
    const objects: S3Objects = new Map();
    const faults: Fault[] = [];
    const server = openServer(objects, faults);
    onCleanup(() => close(server));
    return { objects, faults, address: await listen(server) };
  })
  .extend('files', { scope: 'file' }, ({ bucket: { address } }) => {
    const options = { region: 'eu-west-1', credentials, maxAttempts: 4, forcePathStyle: true };
    return openFiles({
      ...place,
      client: new S3Client({ ...options, endpoint: `http://${address}` }),
    });
  });

filesConform('a bucket', test);

const name = (letter: string) => letter.repeat(40);
const owner = dataOwner(1);
const put = ownedKey(`public/1/1/${name('a')}`);
const copied = ownedKey(`public/1/1/${name('b')}`);
const page = ownedKey(`public/1/2/${name('c')}.html`);
const picture = ownedKey(`public/1/2/${name('c')}.png`);
const upload = ownedKey(`uploads/1/2/0/${name('a')}`);
const film = ownedKey(`uploads/1/2/0/${name('a')}.mp4`);
const text = { bytes: Buffer.from('text'), contentType: 'text/plain' };

describe('when S3', () => {
  const slow = (): S3Response => ({
    status: 503,
    headers: { 'content-type': 'application/xml' },
    body: '<Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>',
  });
  const lost = (response: () => S3Response) => {
    response();
    return 'lost' as const;
  };

  test.for<[string, Fault]>([
    ['throttles', slow],
    ['does it and its answer is lost', lost],
  ])('%s, the request is retried', async ([_, fault], { files, bucket: { objects, faults } }) => {
    faults.push(fault);
    await files.put(owner, put.key, text);
    faults.push(fault);
    await files.copy(put, copied);
    faults.push(fault);
    const read = await files.get(owner, copied.key);
    faults.push(fault);
    await files.remove(owner, [put.key]);

    expect(Buffer.from(read?.bytes ?? [])).toEqual(text.bytes);
    expect([objects.has(put.key), objects.has(copied.key)]).toEqual([false, true]);
    expect(faults).toEqual([]);
  });

  test('forbids, it is a server error and not a missing file', async ({
    files,
    bucket: { faults },
  }) => {
    const denied = (): S3Response => ({
      status: 403,
      headers: { 'content-type': 'application/xml' },
      body: '<Error><Code>AccessDenied</Code><Message>no</Message></Error>',
    });
    faults.push(denied, denied);

    await expect(files.get(owner, put.key)).rejects.toThrow('no');
    await expect(hasFile(files, put.key)).rejects.toThrow();
  });
});

describe('requests', () => {
  function mocked() {
    const client = new S3Client({ region: 'eu-west-1', credentials });
    const s3 = mockClient(client);
    return { s3, store: openFiles({ ...place, client }) };
  }

  test('an address of a private file is one of S3, for a GET of this file and some minutes', async () => {
    const { s3, store } = mocked();
    const secret = ownedKey(`private/1/2/${name('c')}.txt`);

    const [address = ''] = await store.signedAddresses(owner, [secret.key]);

    const { origin, pathname, searchParams } = new URL(address);
    expect(`${origin}${pathname}`).toBe(
      `https://files.s3.eu-west-1.amazonaws.com/private/1/2/${name('c')}.txt`,
    );
    expect(searchParams.get('X-Amz-Expires')).toBe('600');
    expect(searchParams.get('x-id')).toBe('GetObject');
    expect(searchParams.get('response-cache-control')).toBe('private, no-store');
    expect(readPrivateFile(address)).toBe(secret.key);
    expect(s3.calls()).toEqual([]);
  });

  test('a page is served as a download, a picture inline', async () => {
    const { s3, store } = mocked();
    s3.on(PutObjectCommand).resolves({});

    await store.put(owner, page.key, { bytes: text.bytes, contentType: 'text/html' });
    await store.put(owner, picture.key, { bytes: text.bytes, contentType: 'image/png' });

    const shared = { Bucket: 'files', Body: text.bytes, CacheControl: 'public, max-age=3600' };
    expect(s3.commandCalls(PutObjectCommand).map(({ args: [{ input }] }) => input)).toEqual([
      {
        ...shared,
        Key: page.key,
        ContentType: 'text/html',
        ContentDisposition: 'attachment',
      },
      {
        ...shared,
        Key: picture.key,
        ContentType: 'image/png',
        ContentDisposition: 'inline',
      },
    ]);
  });

  test('S3 keeps the name of a file in ASCII', async () => {
    const { s3, store } = mocked();
    s3.on(PutObjectCommand).resolves({});
    const filename = 'Zürich "1".png';
    const ContentDisposition = `inline; filename="Z_rich _1_.png"; filename*=UTF-8''Z%C3%BCrich%20%221%22.png`;

    await store.put(owner, picture.key, { ...text, filename });
    const terms = { contentType: 'text/plain; charset=utf-8', filename, maxBytes: 5, seconds: 60 };
    const { fields } = await store.openUpload(owner, film.key, terms);

    const [put] = s3.commandCalls(PutObjectCommand).map(({ args: [{ input }] }) => input);
    const { conditions } = JSON.parse(Buffer.from(fields.Policy ?? '', 'base64').toString());
    const form = { 'Content-Type': terms.contentType, 'Content-Disposition': ContentDisposition };
    expect(put).toMatchObject({ ContentType: 'text/plain', ContentDisposition });
    expect(fields).toMatchObject(form);
    for (const [name, value] of Object.entries(form)) {
      expect(conditions).toContainEqual({ [name]: value });
    }
  });

  test('a copy names its source in the same bucket', async () => {
    const { s3, store } = mocked();
    s3.on(CopyObjectCommand).resolves({});

    await store.copy(upload, copied);

    expect(s3.commandCalls(CopyObjectCommand).map(({ args: [{ input }] }) => input)).toEqual([
      { Bucket: 'files', Key: copied.key, CopySource: `files/${upload.key}` },
    ]);
  });

  test('a thousand keys are deleted at once, and no more', async () => {
    const { s3, store } = mocked();
    s3.on(DeleteObjectsCommand).resolves({});

    const names = Array.from({ length: 1001 }, (_, i) => String(i).padStart(40, '0'));
    await store.remove(
      owner,
      names.map((each) => ownedKey(`public/1/1/${each}`).key),
    );

    const sizes = s3
      .commandCalls(DeleteObjectsCommand)
      .map(({ args: [{ input }] }) => input.Delete?.Objects?.length);
    expect(sizes).toEqual([1000, 1]);
  });

  test('one that remains is a server error', async () => {
    const { s3, store } = mocked();
    s3.on(DeleteObjectsCommand).resolves({ Errors: [{ Key: 'a', Code: 'InternalError' }] });

    await expect(store.remove(owner, [put.key])).rejects.toThrow('InternalError');
  });

  test('a form allows one key, one type and a size, for a limited time', async () => {
    const { s3, store } = mocked();

    const form = await store.openUpload(owner, film.key, {
      contentType: 'video/mp4',
      maxBytes: 5,
      seconds: 60,
    });

    const { Policy = '', ...fields } = form.fields;
    const policy = JSON.parse(Buffer.from(Policy, 'base64').toString());
    const lifeMs = Date.parse(policy.expiration) - Date.now();
    expect(form.url).toBe('https://files.s3.eu-west-1.amazonaws.com/');
    expect(fields).toMatchObject({
      key: film.key,
      bucket: 'files',
      'Content-Type': 'video/mp4',
      'Content-Disposition': 'inline',
      'X-Amz-Security-Token': 'token',
    });
    expect(policy.conditions).toEqual(
      expect.arrayContaining([
        ['content-length-range', 1, 5],
        { key: film.key },
        { 'Content-Type': 'video/mp4' },
      ]),
    );
    expect(lifeMs).toBeGreaterThan(0);
    expect(lifeMs).toBeLessThanOrEqual(60_000);
    expect(s3.calls()).toEqual([]);
  });
});

/** A failure of a request; it may do what is asked before. */
type Fault = (response: () => S3Response) => S3Response | 'lost';

/** Creates a server of S3 with these objects, whose next requests fail in these ways, one each. */
function openServer(objects: S3Objects, faults: Fault[]) {
  return createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await bytesOf(request);
    const work = () => respondAsS3(objects, { method, url, headers, body });
    const answer = faults.shift()?.(work) ?? work();
    if (answer === 'lost') {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'aws-chunked' ? unchunked(body) : body;
}

/** The first chunk is the whole file if it is that small. */
function unchunked(body: Buffer): Buffer {
  const end = body.indexOf('\r\n');
  const size = Number.parseInt(body.subarray(0, end).toString(), 16);
  return body.subarray(end + 2, end + 2 + size);
}
