import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * Keys are derived, not stored. The text is 56 lower-case hex digits of
 *
 *   kind (1 byte) · secret version (1) · scope (4) · record (4) · generation (2) · MAC (16)
 *
 * where scope is an instance id (an account id for account keys) and the MAC is HMAC-SHA-256 over all before it
 * with that version of the deployment's master secret, cut to 16 bytes. A script's key has a colon before its MAC, by
 * which clients tell it from others (reference: kinds of key). So a forged key is refused without a look
 * at the store, a genuine one says where its record is, and a copy of the table holds no usable credential.
 */

const kinds = [
  ...(['account', 'apiKey', 'user', 'setUp', 'invitation', 'script', 'publicLink'] as const),
] as const;
/** What a key opens. */
export type KeyKind = (typeof kinds)[number];

/** What a key says of itself. It is worth something only when its MAC is right and its record agrees. */
export interface KeyClaims {
  readonly kind: KeyKind;
  /** Version of the master secret, 1 to 255. */
  readonly version: number;
  /** Instance id; of an account key, the account id. */
  readonly scope: number;
  /**
   * Id of the API key or user, row of the script endpoint; 0 where the scope says all. Of a script's key, when it ends:
   * seconds since 1970.
   */
  readonly record: number;
  /** 1 to 65,535; a reset takes the next. Of a script's key, the depth of its run. */
  readonly generation: number;
}

const headBytes = 12;
const macBytes = 16;
const textPattern = new RegExp(`^([0-9a-f]{${2 * headBytes}})(:?)([0-9a-f]{${2 * macBytes}})$`);

/** The highest generation that a key can carry. */
export const maxGeneration = 0xffff;

/** Derives the text of a key. */
export function keyText(claims: KeyClaims, secret: Uint8Array): string {
  const head = Buffer.alloc(headBytes);
  head[0] = kinds.indexOf(claims.kind) + 1;
  head[1] = claims.version;
  head.writeUInt32BE(claims.scope, 2);
  head.writeUInt32BE(claims.record, 6);
  head.writeUInt16BE(claims.generation, 10);
  return head.toString('hex') + mark(claims.kind) + macOf(head, secret).toString('hex');
}

function mark(kind: KeyKind): string {
  return kind === 'script' ? ':' : '';
}

/** A key taken apart, its MAC not yet checked. */
export interface ParsedKey {
  readonly claims: KeyClaims;
  readonly bytes: Buffer;
}

/** Takes a key's text apart, upper case allowed; undefined when it has not the shape of one of ours. */
export function parseKey(text: string): ParsedKey | undefined {
  const [, head, marked, mac] = textPattern.exec(text.toLowerCase()) ?? [];
  if (head === undefined || mac === undefined) return undefined;
  const bytes = Buffer.from(head + mac, 'hex');
  const kind = kinds[bytes.readUInt8(0) - 1];
  if (kind === undefined || mark(kind) !== marked) return undefined;
  const claims = {
    kind,
    version: bytes.readUInt8(1),
    scope: bytes.readUInt32BE(2),
    record: bytes.readUInt32BE(6),
    generation: bytes.readUInt16BE(10),
  };
  return { claims, bytes };
}

/** Tells whether a key was made with `secret`; takes the same time whatever differs. */
export function isGenuine(key: ParsedKey, secret: Uint8Array): boolean {
  const expected = macOf(key.bytes.subarray(0, headBytes), secret);
  return timingSafeEqual(expected, key.bytes.subarray(headBytes));
}

function macOf(head: Uint8Array, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(head).digest().subarray(0, macBytes);
}
