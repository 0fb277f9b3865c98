import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { signedSeconds } from '../../../ports/file-store.ts';
import type { Secrets } from '../../../ports/ports.ts';
import { areaOf, type FileKey, readFileKey } from '../../../values/file-keys.ts';
import { filesPath } from './files-path.ts';

/**
 * Makes and checks the addresses of private files, similar to presigned ones of S3. A client may add `&thumb=<size>`: a
 * smaller picture shows nothing that the file does not, and is another one for each file and size, so no signature
 * limits it (docs/reference/objects.md#smaller-pictures).
 */
export interface SignedAddresses {
  make(key: FileKey): Promise<string>;
  /** Returns the key that the address of a request allows to read; undefined when it is not valid, or not now. */
  read(head: Pick<IncomingMessage, 'method' | 'url'>): Promise<FileKey | undefined>;
}

const privatePath = `${filesPath}private/`;
const query =
  /^version=([1-9]\d{0,2})&expires=([1-9]\d{0,15})&signature=([0-9a-f]{64})(?:&thumb=\d{1,4}x\d{1,4})?$/;

/** Checks whether a path is one of private files. No public file has such a path: theirs begin with a number. */
export function isSignedPath(path: string): boolean {
  return path.startsWith(privatePath);
}

/** What an address allows; its disposition is that with which the file was stored. */
interface Claims {
  readonly method: string;
  readonly key: string;
  readonly disposition: 'stored';
  /** Seconds since 1970. */
  readonly expires: string;
}

/**
 * Opens the addresses of a server: they are signed with its current master secret, and valid while it has that version.
 *
 * @param options.address where files are served
 */
export function createSignedAddresses({
  address,
  secrets,
  nowMs,
}: {
  readonly address: () => string;
  readonly secrets: Secrets;
  readonly nowMs: () => number;
}): SignedAddresses {
  return {
    make: async (key) => {
      const { version, secret } = await secrets.current();
      const expires = String(Math.floor(nowMs() / 1000) + signedSeconds);
      const claims: Claims = { method: 'GET', key, disposition: 'stored', expires };
      const signature = macOf(claims, secret).toString('hex');
      return `${address()}/${key}?version=${version}&expires=${expires}&signature=${signature}`;
    },
    read: async ({ method = '', url = '' }) => {
      const at = url.indexOf('?');
      const key = readFileKey(url.slice(filesPath.length, at));
      const [, version = '', expires = '', signature = ''] = query.exec(url.slice(at + 1)) ?? [];
      if (key === undefined || areaOf(key) !== 'private' || signature === '') return undefined;
      const known = await secrets.get(Number(version));
      if (known === undefined || nowMs() >= Number(expires) * 1000) return undefined;
      const claims: Claims = { method, key, disposition: 'stored', expires };
      const isGenuine = timingSafeEqual(macOf(claims, known.secret), Buffer.from(signature, 'hex'));
      return isGenuine ? key : undefined;
    },
  };
}

/** Signs a text that is the head of no key: those begin with the number of their kind. */
function macOf({ method, key, disposition, expires }: Claims, secret: Uint8Array): Buffer {
  const text = ['private-file', method, key, disposition, expires].join('\n');
  return createHmac('sha256', secret).update(text).digest();
}
