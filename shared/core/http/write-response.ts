import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { refused } from '../../values/errors/errors.ts';
import { acceptsGzip, compress, isCompressible } from './compression.ts';
import { corsHeaders } from './cors.ts';
import type { Response } from './message.ts';
import { jsonIndent } from './negotiation.ts';
import { cachedForm, writeBody } from './response-cache.ts';

/** Bytes of JSON that a function may receive or return, everything included: 6 MB on AWS, and so everywhere. */
export const maxEventBytes = 6_291_456;

/** A response in the gateway's form. */
export type Result = APIGatewayProxyStructuredResultV2 & {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
};

const jsonType = 'application/json; charset=utf-8';
/** Headers of one connection, counted by the gateway, or fixed for all responses; scripts set headers too. */
const notOurs =
  /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade|x-content-type-options)$/;

/**
 * Converts a response to the gateway's result for `event`: encoded, compressed when that pays and the client accepts
 * it, with the request id and what browsers need. HEAD has the headers of the body and no body.
 *
 * @returns the result; a 413 when it would exceed the 6 MB that the platform allows
 */
export async function toResult(event: APIGatewayProxyEventV2, response: Response): Promise<Result> {
  const headers = toHeaders(event, response);
  const content = contentOf(event, response);
  if (content === undefined) {
    if (response.status !== 204) headers['content-length'] = '0';
    return { statusCode: response.status, headers };
  }
  headers['content-type'] ??= content.type;
  const result = await toEncoded(event, { statusCode: response.status, headers }, content);
  if (isTooLarge(result)) {
    const text = `Response size limit exceeded (${maxEventBytes}).`;
    return toResult(event, refused(413, text, 'response_too_large'));
  }
  if (event.requestContext.http.method !== 'HEAD') return result;
  const bytes = Buffer.byteLength(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  headers['content-length'] = String(bytes);
  return { statusCode: result.statusCode, headers };
}

/** Checks whether an event or a result exceeds the platform's limit. */
export function isTooLarge(message: { readonly body?: string | undefined }): boolean {
  const { body } = message;
  // A character takes at most six bytes of JSON, so mostly no count is needed.
  if (body === undefined || body.length * 6 < maxEventBytes - 65_536) return false;
  return Buffer.byteLength(JSON.stringify(message)) > maxEventBytes;
}

/** The default: no cache stores a response, because it is for one client. */
const uncached = 'private, no-store';

/** What a response depends on, for caches that store it anyway: the headers that may hold a key, and the form. */
const varying =
  'Accept, Authorization, X-API-KEY, X-USER-KEY, X-Template, X-Template-Response, X-Strict, Origin';

/** Headers of every response except files; names in lower case. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': uncached,
  vary: varying,
  'x-content-type-options': 'nosniff',
};

function toHeaders(event: APIGatewayProxyEventV2, response: Response): Record<string, string> {
  const headers: Record<string, string> = { ...commonHeaders };
  if (response.headers !== undefined) {
    for (const [name, value] of Object.entries(response.headers)) {
      const lower = name.toLowerCase();
      if (lower === 'vary') headers.vary = `${varying}, ${value}`;
      else if (!notOurs.test(lower)) headers[lower] = value;
    }
  }
  headers['x-request-id'] = event.requestContext.requestId;
  if (event.headers.origin !== undefined) {
    Object.assign(headers, corsHeaders);
  }
  return headers;
}

interface Content {
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The value that was serialized. */
  readonly source: unknown;
  readonly indent?: number;
}

function contentOf(event: APIGatewayProxyEventV2, response: Response): Content | undefined {
  if (response.status === 204 || response.status === 304) return undefined;
  const { content, body } = response;
  if (content !== undefined) return { type: content.type, body: content.bytes, source: content };
  if (body === undefined) return undefined;
  const indent = jsonIndent(event.headers.accept);
  const text =
    indent === 0
      ? writeBody(body)
      : cachedForm(body, `JSON ${indent}`, () => JSON.stringify(body, undefined, indent));
  return { type: jsonType, body: text, source: body, indent };
}

async function toEncoded(
  event: APIGatewayProxyEventV2,
  head: Pick<Result, 'statusCode' | 'headers'>,
  { body, source, indent }: Content,
): Promise<Result> {
  const { statusCode, headers } = head;
  if (isCompressible(headers['content-type'] ?? '', body.length) && !headers['content-encoding']) {
    headers.vary += ', Accept-Encoding';
    if (acceptsGzip(event.headers['accept-encoding'])) {
      headers['content-encoding'] = 'gzip';
      const packed = await cachedForm(source, `gzip ${indent}`, () => compress(toBuffer(body)));
      return { statusCode, headers, body: packed.toString('base64'), isBase64Encoded: true };
    }
  }
  if (typeof body === 'string') return { statusCode, headers, body, isBase64Encoded: false };
  return { statusCode, headers, body: toBuffer(body).toString('base64'), isBase64Encoded: true };
}

function toBuffer(body: string | Uint8Array): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
