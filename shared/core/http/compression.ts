import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { maxCompressions } from '../../values/bounds.ts';

const minBytes = 1024; // below this, the headers outweigh the saving
const maxSyncBytes = 65_536; // some 250 us; a longer text is compressed in the thread pool
const options = { level: 4 };
const gzipAside = promisify(gzip);

/** Checks whether compressing a body of this type and size pays, for clients that accept it. */
export function isCompressible(contentType: string, bytes: number): boolean {
  return (
    bytes >= minBytes && /^(text\/|application\/(json|javascript|xml)|image\/svg)/.test(contentType)
  );
}

/**
 * Checks whether a client accepts gzip.
 *
 * @param acceptEncoding the header as sent; absent means no
 */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const weight =
    acceptEncoding && /(?:^|[\s,])(?:x-)?gzip\s*(?:;\s*q=([\d.]+))?/i.exec(acceptEncoding);
  if (!weight) return false;
  return weight[1] === undefined || Number(weight[1]) > 0;
}

export async function compress(body: Buffer): Promise<Buffer> {
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
