import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { longestDelay, mostOf } from '../../../../values/back-off.ts';
import { codeOf } from '../../../../values/caught.ts';
import { BucketError, type BucketResponse, describeFailure, mayPass } from './responses.ts';

/** Address and credentials of an S3 service. */
export interface BucketAccess {
  /** Without a slash at the end. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Limits of what a service may cost that responds slowly, without end, or not at all. */
export interface BucketPatience {
  /** Of one try of a request, with its response. */
  readonly tryMs: number;
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

const usualPatience: BucketPatience = {
  tryMs: 600_000, // the largest part then needs 112 kB a second
  tries: 5,
  firstDelayMs: 1000,
  maxDelayMs: 60_000, // also of Retry-After
};

const lastTryMs = 2000;
const maxTextBytes = 65_536; // of a response that is not the content of an object

/** A request to a bucket. */
export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Of the object; absent: of the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Bytes of a response; 64 KiB when absent. */
  readonly maxBytes?: number;
}

/** Requests to one bucket. */
export interface Bucket {
  /**
   * Sends a request, again after failures that may pass.
   *
   * @returns any response except 429 and server errors
   * @throws BucketError when no try succeeds
   */
  send(request: BucketRequest): Promise<BucketResponse>;
  /** Sends a request once, within seconds, also after the signal; whether it succeeds does not matter. */
  sendLast(request: BucketRequest): Promise<void>;
}

interface State {
  readonly name: string;
  readonly access: BucketAccess;
  readonly patience: BucketPatience;
  readonly signal: AbortSignal | undefined;
}

/**
 * Opens a bucket of a service with the interface of S3. Nothing that the service sends is trusted: each response has a
 * limit of bytes and time, and redirections are errors, since a request carries a signature.
 *
 * @param signal ends all requests
 */
export function openBucket(
  name: string,
  access: BucketAccess,
  { patience = usualPatience, signal }: Partial<Pick<State, 'patience' | 'signal'>> = {},
): Bucket {
  const state: State = { name, access, patience, signal };
  const last = { ...state, signal: undefined, patience: { ...patience, tryMs: lastTryMs } };
  return {
    send: (request) => sendPatiently(state, request),
    sendLast: async (request) => {
      await sendOnce(last, request);
    },
  };
}

async function sendPatiently(state: State, request: BucketRequest): Promise<BucketResponse> {
  const { tries, firstDelayMs: firstMs, maxDelayMs: maxMs } = state.patience;
  for (let failed = 0; ; failed += 1) {
    const { response, failure, waitMs } = await sendOnce(state, request);
    state.signal?.throwIfAborted();
    if (response !== undefined) return { ...response, isRepeated: failed > 0 };
    if (failed + 1 === tries) throw failure;
    const delay = mostOf(longestDelay(failed, { firstMs, maxMs }));
    await sleep(Math.min(Math.max(delay, waitMs ?? 0), maxMs), undefined, { signal: state.signal });
  }
}

/** Result of one try: a response, or a failure that may pass. */
interface Tried {
  readonly response?: Omit<BucketResponse, 'isRepeated'>;
  readonly failure?: BucketError;
  readonly waitMs?: number;
}

async function sendOnce(state: State, request: BucketRequest): Promise<Tried> {
  const { patience, signal } = state;
  const timeout = AbortSignal.timeout(patience.tryMs);
  const ends = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  let response: Response;
  let bytes: Uint8Array;
  try {
    response = await fetchSigned(state, request, ends);
    bytes = await readBounded(response, request.maxBytes ?? maxTextBytes);
  } catch (cause) {
    return { failure: timeout.aborted ? tooSlow(cause) : lostConnection(cause) };
  }
  const { status, headers } = response;
  if (!mayPass({ status, bytes })) return { response: { status, headers, bytes } };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const failure = new BucketError(describeFailure({ status, bytes }, request));
  return { failure, ...(seconds >= 0 && { waitMs: seconds * 1000 }) };
}

function tooSlow(cause: unknown): BucketError {
  return new BucketError("the bucket's service takes too long", { cause });
}

function lostConnection(cause: unknown): BucketError {
  if (cause instanceof BucketError) return cause;
  const code = cause instanceof Error ? codeOf(cause.cause) : undefined;
  const shown = code === undefined ? '' : ` (${code})`;
  return new BucketError(`the bucket's service does not respond${shown}`, { cause });
}

async function fetchSigned(
  { name, access }: State,
  { method, key, query = {}, headers = {}, body }: BucketRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { endpoint, sessionToken, ...keys } = access;
  const url = new URL(`${endpoint}/${key === undefined ? name : `${name}/${key}`}`);
  for (const [each, value] of Object.entries(query)) url.searchParams.set(each, value);
  const digest = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const signer = new AwsV4Signer({
    ...keys,
    ...(sessionToken !== undefined && { sessionToken }),
    service: 's3',
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': digest },
  });
  const signed = await signer.sign();
  signed.headers.set('accept-encoding', 'identity'); // not signed: proxies change it
  return fetch(signed.url, {
    method,
    headers: signed.headers,
    body: body ?? null,
    redirect: 'manual',
    signal,
  });
}

/** Reads a response, and ends the connection at the first byte over its limit. */
async function readBounded({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new BucketError("a response of the bucket's service is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
