import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What a request to the server is, as a policy of S3 names it. */
export type ObjectAction =
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'GetObject'
  | 'ListObjectsV2'
  | 'DeleteObject';

/** A request that has arrived. */
export interface ObjectRequest {
  readonly action: ObjectAction;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly key: string;
}

/** Responds in place of the server, before or after what the request does; true when it has responded. */
export type Misbehaviour = (
  request: ObjectRequest,
  response: ServerResponse,
  execute: () => void,
) => boolean;

/** A server with the interface of S3 that can be told to misbehave. */
export interface ObjectServer {
  readonly url: string;
  readonly requests: readonly ObjectRequest[];
  readonly objects: Map<string, Buffer>;
  /** Uploads that are neither complete nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  misbehave: Misbehaviour | undefined;
}

/** Starts a server, which is closed after the test. */
export async function startObjectServer(): Promise<ObjectServer> {
  const requests: ObjectRequest[] = [];
  const state = {
    url: '',
    requests,
    objects: new Map<string, Buffer>(),
    uploads: new Map<string, Map<number, Buffer>>(),
    misbehave: undefined as Misbehaviour | undefined,
  };
  const server = createServer(async (message, response) => {
    const body = await buffer(message).catch(() => undefined);
    if (body === undefined) return;
    const url = new URL(message.url ?? '', 'http://x');
    const request = { ...describe(message.method ?? '', url), headers: message.headers, body };
    requests.push(request);
    let executed: Executed | undefined;
    const execute = () => {
      executed ??= run(state, request, url);
      return executed;
    };
    if (state.misbehave?.(request, response, execute)) return;
    const { status, headers = {}, content = '' } = execute();
    response.writeHead(status, headers).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return state;
}

function describe(method: string, { pathname, searchParams }: URL) {
  const key = pathname.split('/').slice(2).join('/');
  return { key, action: actionOf(method, key, searchParams) };
}

function actionOf(method: string, key: string, query: URLSearchParams): ObjectAction {
  if (method === 'GET') return key === '' ? 'ListObjectsV2' : 'GetObject';
  if (method === 'PUT') return 'UploadPart';
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
  return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
}

interface Executed {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly content?: string | Buffer;
}

function errorOf(status: number, code: string): Executed {
  const content = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`;
  return { status, content };
}

const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex');

type State = Pick<ObjectServer, 'objects' | 'uploads'>;

function run({ objects, uploads }: State, { action, key, body, headers }: ObjectRequest, url: URL) {
  const id = url.searchParams.get('uploadId') ?? '';
  const parts = uploads.get(id);
  switch (action) {
    case 'CreateMultipartUpload': {
      const created = randomBytes(8).toString('hex');
      uploads.set(created, new Map());
      return { status: 200, content: `<R><UploadId>${created}</UploadId></R>` };
    }
    case 'UploadPart':
      if (parts === undefined) return errorOf(404, 'NoSuchUpload');
      parts.set(Number(url.searchParams.get('partNumber')), body);
      return { status: 200, headers: { etag: `"${md5(body)}"` } };
    case 'CompleteMultipartUpload':
      if (parts === undefined) return errorOf(404, 'NoSuchUpload');
      if (headers['if-none-match'] === '*' && objects.has(key)) {
        return errorOf(412, 'PreconditionFailed');
      }
      objects.set(key, Buffer.concat([...parts.values()]));
      uploads.delete(id);
      return {
        status: 200,
        content: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>',
      };
    case 'AbortMultipartUpload':
      uploads.delete(id);
      return { status: 204 };
    case 'GetObject':
      return readObject(objects.get(key), headers.range ?? '');
    case 'ListObjectsV2':
      return { status: 200, content: listOf(objects, url.searchParams.get('prefix') ?? '') };
    case 'DeleteObject':
      objects.delete(key);
      return { status: 204 };
  }
}

function readObject(object: Buffer | undefined, range: string): Executed {
  if (object === undefined) return errorOf(404, 'NoSuchKey');
  const [start = 0, end = 0] = (/(\d+)-(\d+)/.exec(range) ?? []).slice(1).map(Number);
  const content = object.subarray(start, end + 1);
  const described = `bytes ${start}-${start + content.length - 1}/${object.length}`;
  return {
    status: 206,
    headers: { 'content-range': described, etag: `"${md5(object)}"` },
    content,
  };
}

function listOf(objects: ReadonlyMap<string, Buffer>, prefix: string): string {
  const listed = [...objects]
    .filter(([key]) => key.startsWith(prefix))
    .map(
      ([key, { length }], at) =>
        `<Contents><Key>${key}</Key><LastModified>2026-01-${String(at + 1).padStart(2, '0')}T00:00:00.000Z</LastModified><Size>${length}</Size></Contents>`,
    );
  return `<ListBucketResult><IsTruncated>false</IsTruncated>${listed.join('')}</ListBucketResult>`;
}
