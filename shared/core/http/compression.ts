import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { maxCompressions } from '../../values/bounds.ts';
import type { Request, Response } from './message.ts';
import { cachedForm } from './response-cache.ts';

const minBytes = 1024; // below this, the headers outweigh the saving
const maxSyncBytes = 65_536; // some 250 us; a longer text is compressed in the thread pool
const options = { level: 4 };
const gzipAside = promisify(gzip);

/** Compresses a response when that pays and the client accepts gzip. */
export function compressResponse(
  { headers }: Request,
  response: Response,
): Response | Promise<Response> {
  const { headers: own = {}, content, cookies } = response;
  if (content === undefined || own['content-encoding']) return response;
  const { type, bytes } = content;
  if (!isCompressible(own['content-type'] ?? type, bytes.length)) return response;
  const varied = { ...own, vary: own.vary ? `${own.vary}, Accept-Encoding` : 'Accept-Encoding' };
  if (!acceptsCoding(headers['accept-encoding'], 'gzip')) return { ...response, headers: varied };
  const packing = cachedForm(content, 'gzip', () => compress(toBuffer(bytes)));
  return packing.then((packed) => ({
    status: response.status,
    headers: Object.assign({}, varied, { 'content-encoding': 'gzip' }),
    content: { type, bytes: packed },
    ...(cookies && { cookies }),
  }));
}

/** Checks whether compressing a body of this type and size pays, for clients that accept it. */
function isCompressible(contentType: string, bytes: number): boolean {
  return (
    bytes >= minBytes && /^(text\/|application\/(json|javascript|xml)|image\/svg)/.test(contentType)
  );
}

const codings = {
  gzip: /(?:^|[\s,])(?:x-)?gzip\s*(?:;\s*q=([\d.]+))?/i,
  br: /(?:^|[\s,])br\s*(?:;\s*q=([\d.]+))?/i,
};

/**
 * Checks whether a client accepts a coding.
 *
 * @param acceptEncoding the header as sent; absent means no
 */
export function acceptsCoding(
  acceptEncoding: string | undefined,
  coding: keyof typeof codings,
): boolean {
  const weight = acceptEncoding && codings[coding].exec(acceptEncoding);
  if (!weight) return false;
  return weight[1] === undefined || Number(weight[1]) > 0;
}

function toBuffer(body: string | Uint8Array): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

async function compress(body: Buffer): Promise<Buffer> {
  return body.byteLength > maxSyncBytes ? gzipInTurn(body) : gzipSync(body, options);
}

let running = 0;
const waiting: (() => void)[] = [];

/** Compresses in the thread pool. Commits need its threads as well, so few bodies are compressed at a time. */
async function gzipInTurn(body: Buffer): Promise<Buffer> {
  if (running < maxCompressions) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve)); // takes over the slot of one that ends
  try {
    return await gzipAside(body, options);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
