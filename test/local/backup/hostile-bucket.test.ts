import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBucket } from '../../../shared/platforms/local/backup/s3/bucket.ts';
import { openObject } from '../../../shared/platforms/local/backup/s3/download.ts';
import { listBucket } from '../../../shared/platforms/local/backup/s3/listing.ts';
import { partBytesFor, uploadObject } from '../../../shared/platforms/local/backup/s3/upload.ts';
import { messageOf } from '../../../shared/values/caught.ts';
import {
  type Misbehaviour,
  type ObjectServer,
  startObjectServer,
} from '../../support/object-server.ts';

/* A service may be slow, broken or hostile: each response has a limit, and the operator gets the truth. */

const patience = { tries: 3, firstDelayMs: 1, maxDelayMs: 20 };
const key = 'prod/groundwork-20260131T120000Z-00000001.tar.age';
const secret = 'the-secret-access-key';
const partBytes = 5000;
const content = randomBytes(12_000);

function bucketOf({ url }: ObjectServer, tryMs = 400, signal?: AbortSignal) {
  const access = {
    endpoint: url,
    region: 'us-east-1',
    accessKeyId: 'AKIA',
    secretAccessKey: secret,
  };
  return openBucket('backups', access, {
    patience: { ...patience, tryMs },
    ...(signal && { signal }),
  });
}

/** Uploads three parts to a server that misbehaves. Returns the error, and what is left. */
async function uploadTo(misbehave: Misbehaviour | undefined) {
  const server = await startObjectServer();
  server.misbehave = misbehave;
  const stream = new Blob([content]).stream();
  const upload = uploadObject(bucketOf(server), key, stream, partBytes);
  const outcome = await upload.catch((error: unknown) => messageOf(error));
  const actions = server.requests.map(({ action }) => action);
  return { server, outcome, actions, stored: server.objects.get(key) };
}

test('an upload only puts, under a condition that overwrites nothing, in parts of one size', async () => {
  const { server, outcome, actions, stored } = await uploadTo(undefined);

  expect(outcome).toBe(12_000);
  expect(stored?.equals(content)).toBe(true);
  expect(actions).toEqual([
    'CreateMultipartUpload',
    'UploadPart',
    'UploadPart',
    'UploadPart',
    'CompleteMultipartUpload',
  ]);
  expect(server.requests.slice(1, 4).map(({ body }) => body.length)).toEqual([5000, 5000, 2000]);
  expect(server.requests.at(-1)?.headers['if-none-match']).toBe('*');
  expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toContain(secret);
});

/** Misbehaves for one action, the first `times` times. */
const at =
  (action: string, respond: Misbehaviour, times = Number.POSITIVE_INFINITY): Misbehaviour =>
  (request, response, execute) => {
    if (request.action !== action || times === 0) return false;
    times -= 1;
    return respond(request, response, execute);
  };

const reset: Misbehaviour = (_, response) => {
  response.destroy();
  return true;
};
const status =
  (code: number, text = '', headers = {}): Misbehaviour =>
  (_, response) => {
    response.writeHead(code, headers).end(text);
    return true;
  };
const silent: Misbehaviour = () => true;
const endless: Misbehaviour = (_, response) => {
  response.writeHead(200);
  const write = () => {
    while (response.write(Buffer.alloc(65_536, 'x')));
    response.once('drain', write);
  };
  write();
  return true;
};
const dripping: Misbehaviour = (_, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
  return true;
};
const lost: Misbehaviour = (_, response, execute) => {
  execute();
  response.destroy();
  return true;
};

test.each<[string, Misbehaviour]>([
  ['a connection that is reset', at('UploadPart', reset, 2)],
  ['500', at('UploadPart', status(500), 2)],
  ['503 with Retry-After', at('UploadPart', status(503, '', { 'retry-after': '3600' }), 2)],
  ['429', at('UploadPart', status(429), 2)],
  [
    'a part that was too slow',
    at('UploadPart', status(400, '<Error><Code>RequestTimeout</Code></Error>'), 2),
  ],
  ['no response', at('UploadPart', silent, 1)],
  ['a lost response to a part', at('UploadPart', lost, 1)],
  ['a lost response to the first request', at('CreateMultipartUpload', lost, 1)],
  ['an unknown condition', conditionUnknown],
])('an upload succeeds after %s', async (_, misbehave) => {
  const { outcome, stored } = await uploadTo(misbehave);

  expect(outcome).toBe(12_000);
  expect(stored?.equals(content)).toBe(true);
});

function conditionUnknown(...[{ headers }, response]: Parameters<Misbehaviour>): boolean {
  if (headers['if-none-match'] === undefined) return false;
  response.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>');
  return true;
}

const begun = 'CreateMultipartUpload';
const part = 'UploadPart';
const completed = 'CompleteMultipartUpload';
const denied = `<Error><Code>AccessDenied</Code><AWSAccessKeyId>AKIA</AWSAccessKeyId><M>${secret}</M></Error>`;
const unconfirmed = 'the bucket has not confirmed the backup, which may be complete all the same';

test.each<[string, Misbehaviour, string]>([
  ['403', at(begun, status(403, denied)), 'the bucket responds to POST with 403 AccessDenied'],
  ['no end of a response', at(begun, endless), "a response of the bucket's service is too long"],
  ['a response that drips', at(begun, dripping), "the bucket's service takes too long"],
  ['no response', at(begun, silent), "the bucket's service takes too long"],
  ['resets', at(begun, reset), "the bucket's service does not respond (UND_ERR_SOCKET)"],
  ['500', at(part, status(500, denied)), 'the bucket responds to PUT with 500 AccessDenied'],
  ['no id', at(begun, status(200, '<UploadId></UploadId>')), 'the bucket has begun no upload'],
  [
    'an id that is markup',
    at(begun, status(200, '<UploadId>&lt;x</UploadId>')),
    'the bucket has begun no upload',
  ],
  ['no tag', at(part, status(200)), 'the bucket has confirmed no part'],
  [
    'a tag that is markup',
    at(part, status(200, '', { etag: '"<a>"' })),
    'the bucket has confirmed no part',
  ],
  [
    'a wrong tag',
    at(part, status(200, '', { etag: `"${'0'.repeat(32)}"` })),
    'the bucket has stored something else than was sent',
  ],
  [
    'an error with status 200',
    at(completed, status(200, '<?xml version="1.0"?>\n<Error><Code>InternalError</Code></Error>')),
    'the bucket responds to POST with 200 InternalError',
  ],
  ['an empty confirmation', at(completed, status(200)), unconfirmed],
  [
    'a part that is lost',
    at(completed, status(400, '<Error><Code>InvalidPart</Code></Error>')),
    'the bucket responds to POST with 400 InvalidPart',
  ],
  [
    'a name that is taken',
    at(completed, status(412, '<Error><Code>PreconditionFailed</Code></Error>')),
    'the bucket responds to POST with 412 PreconditionFailed',
  ],
])('an upload fails because of %s, and stores nothing', async (_, misbehave, message) => {
  const { server, outcome, stored } = await uploadTo(misbehave);

  expect(outcome).toBe(message);
  expect(stored).toBeUndefined();
  if (message !== unconfirmed) expect(server.uploads.size).toBe(0); // aborted
});

test('a lost response to the last request is a success where the service says that the name is taken', async () => {
  const takenAfterwards: Misbehaviour = (request, response, execute) => {
    if (request.action !== completed) return false;
    execute();
    if (isFirst) response.destroy();
    else status(412)(request, response, execute);
    isFirst = false;
    return true;
  };
  let isFirst = true;

  const { outcome, stored } = await uploadTo(takenAfterwards);

  expect(outcome).toBe(12_000);
  expect(stored?.equals(content)).toBe(true);
});

test.each([
  ['that the upload is unknown', at(completed, lost, 1)],
  ['nothing any more', at(completed, lost)],
])(
  'a lost response to the last request is unconfirmed where the service says %s',
  async (_, misbehave) => {
    const { outcome, actions } = await uploadTo(misbehave);

    expect(outcome).toBe(unconfirmed);
    expect(actions).not.toContain('AbortMultipartUpload'); // it may be complete
  },
);

test('no redirection is followed', async () => {
  const elsewhere = await startObjectServer();
  const location = `${elsewhere.url}/backups/x`;

  const { outcome } = await uploadTo(at(begun, status(307, '', { location })));

  expect(outcome).toBe('the bucket responds to POST with 307: check the endpoint and AWS_REGION');
  expect(elsewhere.requests).toEqual([]);
});

test('a signal ends an upload, which is aborted', async () => {
  const server = await startObjectServer();
  const controller = new AbortController();
  server.misbehave = at(part, () => {
    controller.abort(new Error('stopped'));
    return true;
  });
  const stream = new Blob([content]).stream();

  const upload = uploadObject(bucketOf(server, 400, controller.signal), key, stream, partBytes);

  await expect(upload).rejects.toThrow('stopped');
  expect(server.requests.map(({ action }) => action)).toEqual([
    begun,
    part,
    'AbortMultipartUpload',
  ]);
});

test.each([
  [0, 8_388_608],
  [9900 * 8_388_608, 8_388_608],
  [9900 * 8_388_608 + 1, 9_437_184],
  [9900 * 67_108_864, 67_108_864],
])('an object of %i bytes has parts of %i', (bytes, expected) => {
  expect(partBytesFor(bytes)).toBe(expected);
});

/** Downloads an object of several ranges from a server that misbehaves. */
async function downloadFrom(misbehave: Misbehaviour | undefined) {
  const server = await startObjectServer();
  const object = randomBytes(9_000_000);
  server.objects.set(key, object);
  server.misbehave = misbehave;
  const read = async () => {
    const { content: stream } = await openObject(bucketOf(server, 20_000), key);
    return Buffer.from(await new Response(stream).arrayBuffer()).equals(object);
  };
  return read().catch((error: unknown) => messageOf(error));
}

const others = 'the bucket sends other bytes than were requested';
const range = (text: string, etag = '"x"') => ({ 'content-range': text, etag });

test.each<[string, Misbehaviour | undefined, unknown]>([
  ['nothing wrong', undefined, true],
  ['two failures', at('GetObject', reset, 2), true],
  [
    'the whole object',
    at('GetObject', status(200, 'x', { etag: '"x"' })),
    'the bucket sends no ranges of objects',
  ],
  ['another range', at('GetObject', status(206, 'xx', range('bytes 5-6/9000000'))), others],
  ['fewer bytes', at('GetObject', status(206, 'xx', range('bytes 0-1/9000000'))), others],
  ['another object in between', changedInBetween(), others],
  ['no end', at('GetObject', endless), "a response of the bucket's service is too long"],
  [
    '404',
    at('GetObject', status(404, '<Error><Code>NoSuchKey</Code></Error>')),
    'the bucket responds to GET with 404 NoSuchKey',
  ],
])('a download with %s', async (_, misbehave, expected) => {
  expect(await downloadFrom(misbehave)).toBe(expected);
});

function changedInBetween(): Misbehaviour {
  return at('GetObject', (request, response, execute) => {
    if (request.headers.range?.startsWith('bytes=0-')) return false;
    const headers = range('bytes 8388608-8999999/9000000');
    return status(206, 'x'.repeat(611_392), headers)(request, response, execute);
  });
}

test('an object that looks like an error is content', async () => {
  const server = await startObjectServer();
  const object = Buffer.from('<Error><Code>AccessDenied</Code></Error>');
  server.objects.set(key, object);

  const { content: stream } = await openObject(bucketOf(server), key);

  expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(object)).toBe(true);
});

test('a response that is made to be read slowly is read within a second', async () => {
  const text = ['   \n'.repeat(8000), '<Error><Code>'.repeat(2000), '<Error>'.repeat(900)].join('');
  const started = performance.now();

  const { outcome } = await uploadTo(at(begun, status(403, text)));

  expect(outcome).toBe('the bucket responds to POST with 403');
  expect(performance.now() - started).toBeLessThan(1000);
});

test.each<[string, Misbehaviour, string]>([
  [
    'pages without end',
    status(
      200,
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>',
    ),
    'the bucket has more than 100,000 objects there',
  ],
  [
    'no next page',
    status(200, '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'),
    'the bucket sends a list without its next page',
  ],
  ['no list', status(200, 'hello'), 'the bucket sends no list'],
  [
    'a size that is none',
    status(
      200,
      '<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>',
    ),
    'the bucket sends a list that cannot be read',
  ],
  ['no end', endless, "a response of the bucket's service is too long"],
])('a list with %s is an error', async (_, misbehave, message) => {
  const server = await startObjectServer();
  server.misbehave = misbehave;

  await expect(listBucket(bucketOf(server), 'prod/')).rejects.toThrow(message);
});
