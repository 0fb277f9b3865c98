import { createHmac, timingSafeEqual } from 'node:crypto';
import { ownerOfData, restoredData, restoreOfData } from './data-ids.ts';

/*
 * Keys are derived, not stored. Most texts are 56 lower-case hex digits of
 *
 *   kind (1 byte) · secret version (1) · scope (4) · record (4) · generation (2) · MAC (16)
 *
 * where scope is an instance id (an account id for account keys). The token of a script has a longer head, and a colon
 * before its MAC, by which clients recognize it (docs/reference/keys.md#form):
 *
 *   kind (1) · secret version (1) · instance (4) · end (4) · depth (2) · script (4) · version of the script (4)
 *   · owner (4) · generation of the owner's key (2) [· restore that made the contents (4)] : MAC (16)
 *
 * Instances that were never restored have no restore in their tokens; a token without it is of their data id alone.
 *
 * The key of a user's session has the number of the session after the generation (4 bytes), 64 digits in all.
 *
 * The MAC is HMAC-SHA-256 over all bytes before it with that version of the deployment's master secret, cut to 16
 * bytes; the first byte determines the form, so no head can be read as one of another kind. So a forged key is
 * rejected without reading the store, a genuine one names its records, and a copy of the table holds no usable
 * credential.
 */

const kinds = [
  'account',
  'apiKey',
  'user',
  'setUp',
  'invitation',
  'script',
  'publicLink',
  'session',
] as const;
/** The kinds of keys. */
export type KeyKind = (typeof kinds)[number];

/** Claims of a key with one record. They count only when the MAC is right and the record agrees. */
export interface RecordClaims {
  readonly kind: Exclude<KeyKind, 'script'>;
  /** Version of the master secret, 1 to 255. */
  readonly version: number;
  /** Instance id; of an account key, the account id. */
  readonly scope: number;
  /** Id of the API key or user, list position of the script endpoint; 0 where the scope is enough. */
  readonly record: number;
  /** 1 to 65,535; a reset increments it. */
  readonly generation: number;
  /** MAC of the alias that stood for the key in the request. */
  readonly alias?: string;
  /** Number of the session, of the key of a session; its record is that of the user. */
  readonly session?: number;
}

/** Claims of a script's token. They count only until its end, and while contents, script and owner are unchanged. */
export interface ScriptClaims {
  readonly kind: 'script';
  /** Version of the master secret, 1 to 255. */
  readonly version: number;
  /** Data id of the instance: a restore sets the versions of scripts back. */
  readonly scope: number;
  /** End of validity, in seconds since 1970. */
  readonly endsAt: number;
  /** Scripts between the client and the run, including itself. */
  readonly depth: number;
  /** Id of the script, and the version that ran. */
  readonly script: number;
  readonly scriptVersion: number;
  /** Account that owned the instance at that time, and the generation of its key. */
  readonly owner: number;
  readonly ownerGeneration: number;
}

export type KeyClaims = RecordClaims | ScriptClaims;

const macBytes = 16;
const recordText = /^([0-9a-f]{24}(?:[0-9a-f]{8})?)([0-9a-f]{32})$/;
const scriptText = /^([0-9a-f]{52}(?:[0-9a-f]{8})?):([0-9a-f]{32})$/;

const recordHeadBytes = 12;
const sessionHeadBytes = 16;

/** The highest generation that a key can contain. */
export const maxGeneration = 0xffff;

/** Derives the text of a key. */
export function keyText(claims: KeyClaims, secret: Uint8Array): string {
  const head = headOf(claims);
  const mark = claims.kind === 'script' ? ':' : '';
  return head.toString('hex') + mark + macOf(head, secret).toString('hex');
}

function headOf(claims: KeyClaims): Buffer {
  if (claims.kind === 'script') return scriptHead(claims);
  const head = Buffer.alloc(headBytesOf(claims.kind));
  head[0] = kinds.indexOf(claims.kind) + 1;
  head[1] = claims.version;
  head.writeUInt32BE(claims.scope, 2);
  head.writeUInt32BE(claims.record, 6);
  head.writeUInt16BE(claims.generation, 10);
  if (claims.session !== undefined) head.writeUInt32BE(claims.session, recordHeadBytes);
  return head;
}

const scriptHeadBytes = 26;

function scriptHead(claims: ScriptClaims): Buffer {
  const restore = restoreOfData(claims.scope);
  const head = Buffer.alloc(restore === 0 ? scriptHeadBytes : scriptHeadBytes + 4);
  head[0] = kinds.indexOf(claims.kind) + 1;
  head[1] = claims.version;
  head.writeUInt32BE(ownerOfData(claims.scope), 2);
  head.writeUInt32BE(claims.endsAt, 6);
  head.writeUInt16BE(claims.depth, 10);
  head.writeUInt32BE(claims.script, 12);
  head.writeUInt32BE(claims.scriptVersion, 16);
  head.writeUInt32BE(claims.owner, 20);
  head.writeUInt16BE(claims.ownerGeneration, 24);
  if (restore !== 0) head.writeUInt32BE(restore, scriptHeadBytes);
  return head;
}

/** A parsed key, its MAC not yet checked. */
export interface ParsedKey {
  readonly claims: KeyClaims;
  readonly head: Buffer;
  readonly mac: Buffer;
}

/** Parses a key's text, upper case allowed; undefined when it does not have the form of a key. */
export function parseKey(text: string): ParsedKey | undefined {
  const lower = text.toLowerCase();
  const ofScript = scriptText.exec(lower);
  const [, headText, macText] = ofScript ?? recordText.exec(lower) ?? [];
  if (headText === undefined || macText === undefined) return undefined;
  const head = Buffer.from(headText, 'hex');
  const kind = kinds[head.readUInt8(0) - 1];
  if (kind === undefined || (kind === 'script') !== (ofScript !== null)) return undefined;
  if (ofScript === null && head.length !== headBytesOf(kind)) return undefined;
  const claims = kind === 'script' ? scriptClaims(head) : recordClaims(kind, head);
  return { claims, head, mac: Buffer.from(macText, 'hex') };
}

function headBytesOf(kind: KeyKind): number {
  return kind === 'session' ? sessionHeadBytes : recordHeadBytes;
}

function recordClaims(kind: RecordClaims['kind'], head: Buffer): RecordClaims {
  return {
    kind,
    version: head.readUInt8(1),
    scope: head.readUInt32BE(2),
    record: head.readUInt32BE(6),
    generation: head.readUInt16BE(10),
    ...(kind === 'session' && { session: head.readUInt32BE(recordHeadBytes) }),
  };
}

function scriptClaims(head: Buffer): ScriptClaims {
  const restore = head.length > scriptHeadBytes ? head.readUInt32BE(scriptHeadBytes) : 0;
  return {
    kind: 'script',
    version: head.readUInt8(1),
    scope: restoredData(head.readUInt32BE(2), restore),
    endsAt: head.readUInt32BE(6),
    depth: head.readUInt16BE(10),
    script: head.readUInt32BE(12),
    scriptVersion: head.readUInt32BE(16),
    owner: head.readUInt32BE(20),
    ownerGeneration: head.readUInt16BE(24),
  };
}

/** Checks whether a key was made with `secret`, in constant time. */
export function isGenuine({ head, mac }: ParsedKey, secret: Uint8Array): boolean {
  return timingSafeEqual(macOf(head, secret), mac);
}

function macOf(head: Uint8Array, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(head).digest().subarray(0, macBytes);
}

/**
 * Returns the MAC under which an instance keeps an alias: 32 hex digits. It starts with text that is the head of no key,
 * and contains the instance, so that copies of a record show nothing about those of others.
 */
export function aliasMac(text: string, instance: number, secret: Uint8Array): string {
  return macOf(Buffer.from(`alias ${instance} ${text.toLowerCase()}`), secret).toString('hex');
}

/** Checks whether a key is the current one of its record. */
export function isCurrent(
  claims: RecordClaims,
  data: { readonly generation: number; readonly secret_version: number } | undefined,
): boolean {
  return claims.generation === data?.generation && claims.version === data.secret_version;
}
