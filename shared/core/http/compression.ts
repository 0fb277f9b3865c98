import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { maxCompressions } from '../../values/bounds.ts';

const minBytes = 1024; // below, the headers outweigh what is saved
const maxSyncBytes = 65_536; // some 250 us; a longer text goes to the thread pool
const options = { level: 4 };
const gzipAside = promisify(gzip);

/** Tells whether a body of this type and size is worth compressing, for clients that accept it. */
export function isCompressible(contentType: string, bytes: number): boolean {
  return (
    bytes >= minBytes && /^(text\/|application\/(json|javascript|xml)|image\/svg)/.test(contentType)
  );
}

/**
 * Tells whether a client accepts gzip.
 *
 * @param acceptEncoding the header as sent; absent means no
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const weight =
    acceptEncoding && /(?:^|[\s,])(?:x-)?gzip\s*(?:;\s*q=([\d.]+))?/i.exec(acceptEncoding);
  if (!weight) return false;
  return weight[1] === undefined || Number(weight[1]) > 0;
}

/** Compresses a body with gzip. */
export async function compress(body: Buffer): Promise<Buffer> {
  return body.byteLength > maxSyncBytes ? gzipInTurn(body) : gzipSync(body, options);
}

let running = 0;
const waiting: (() => void)[] = [];

/** On the threads that commits need as well: few at a time. */
async function gzipInTurn(body: Buffer): Promise<Buffer> {
  if (running < maxCompressions) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve)); // takes the place of one that ends
  try {
    return await gzipAside(body, options);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
