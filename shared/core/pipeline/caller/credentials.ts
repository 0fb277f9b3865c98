import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keyed } from '../../../store/records/records.ts';

/*
 * Keys are derived, not stored. Most texts are 56 lower-case hex digits of
 *
 *   kind (1 byte) · secret version (1) · scope (4) · record (4) · generation (2) · MAC (16)
 *
 * where scope is an instance id (an account id for account keys). The token of a script has a longer head, and a colon
 * before its MAC, by which clients tell it from other keys (docs/reference/keys.md#form):
 *
 *   kind (1) · secret version (1) · instance (4) · end (4) · depth (2) · script (4) · version of the script (4)
 *   · owner (4) · generation of the owner's key (2) : MAC (16)
 *
 * The MAC is HMAC-SHA-256 over all before it with that version of the deployment's master secret, cut to 16 bytes; the
 * first byte decides the length, so no head can be read as one of another kind. So a forged key is refused without a
 * look at the store, a genuine one says where its records are, and a copy of the table holds no usable credential.
 */

const kinds = ['account', 'apiKey', 'user', 'setUp', 'invitation', 'script', 'publicLink'] as const;
/** What a key opens. */
export type KeyKind = (typeof kinds)[number];

/** Claims of a key that one record stands behind. They count only when the MAC is right and the record agrees. */
export interface RecordClaims {
  readonly kind: Exclude<KeyKind, 'script'>;
  /** Version of the master secret, 1 to 255. */
  readonly version: number;
  /** Instance id; of an account key, the account id. */
  readonly scope: number;
  /** Id of the API key or user, row of the script endpoint; 0 where the scope says all. */
  readonly record: number;
  /** 1 to 65,535; a reset takes the next. */
  readonly generation: number;
}

/** Claims of a script's token. They count only until it ends, and while script and owner are as they were. */
export interface ScriptClaims {
  readonly kind: 'script';
  /** Version of the master secret, 1 to 255. */
  readonly version: number;
  /** Instance id. */
  readonly scope: number;
  /** When it ends, in seconds since 1970. */
  readonly endsAt: number;
  /** Scripts between the client and the run, itself counted. */
  readonly depth: number;
  /** Id of the script, and the version of it that ran. */
  readonly script: number;
  readonly scriptVersion: number;
  /** Account that owned the instance, and the generation of its key then. */
  readonly owner: number;
  readonly ownerGeneration: number;
}

/** What a key claims. */
export type KeyClaims = RecordClaims | ScriptClaims;

const macBytes = 16;
const recordText = /^([0-9a-f]{24})([0-9a-f]{32})$/;
const scriptText = /^([0-9a-f]{52}):([0-9a-f]{32})$/;

/** The highest generation that a key can carry. */
export const maxGeneration = 0xffff;

/** Derives the text of a key. */
export function keyText(claims: KeyClaims, secret: Uint8Array): string {
  const head = headOf(claims);
  const mark = claims.kind === 'script' ? ':' : '';
  return head.toString('hex') + mark + macOf(head, secret).toString('hex');
}

function headOf(claims: KeyClaims): Buffer {
  const head = Buffer.alloc(claims.kind === 'script' ? 26 : 12);
  head[0] = kinds.indexOf(claims.kind) + 1;
  head[1] = claims.version;
  head.writeUInt32BE(claims.scope, 2);
  if (claims.kind !== 'script') {
    head.writeUInt32BE(claims.record, 6);
    head.writeUInt16BE(claims.generation, 10);
    return head;
  }
  head.writeUInt32BE(claims.endsAt, 6);
  head.writeUInt16BE(claims.depth, 10);
  head.writeUInt32BE(claims.script, 12);
  head.writeUInt32BE(claims.scriptVersion, 16);
  head.writeUInt32BE(claims.owner, 20);
  head.writeUInt16BE(claims.ownerGeneration, 24);
  return head;
}

/** A key taken apart, its MAC not yet checked. */
export interface ParsedKey {
  readonly claims: KeyClaims;
  readonly head: Buffer;
  readonly mac: Buffer;
}

/** Takes a key's text apart, upper case allowed; undefined when it has not the shape of one of ours. */
export function parseKey(text: string): ParsedKey | undefined {
  const lower = text.toLowerCase();
  const ofScript = scriptText.exec(lower);
  const [, headText, macText] = ofScript ?? recordText.exec(lower) ?? [];
  if (headText === undefined || macText === undefined) return undefined;
  const head = Buffer.from(headText, 'hex');
  const kind = kinds[head.readUInt8(0) - 1];
  if (kind === undefined || (kind === 'script') !== (ofScript !== null)) return undefined;
  const claims = kind === 'script' ? scriptClaims(head) : recordClaims(kind, head);
  return { claims, head, mac: Buffer.from(macText, 'hex') };
}

function recordClaims(kind: RecordClaims['kind'], head: Buffer): RecordClaims {
  return {
    kind,
    version: head.readUInt8(1),
    scope: head.readUInt32BE(2),
    record: head.readUInt32BE(6),
    generation: head.readUInt16BE(10),
  };
}

function scriptClaims(head: Buffer): ScriptClaims {
  return {
    kind: 'script',
    version: head.readUInt8(1),
    scope: head.readUInt32BE(2),
    endsAt: head.readUInt32BE(6),
    depth: head.readUInt16BE(10),
    script: head.readUInt32BE(12),
    scriptVersion: head.readUInt32BE(16),
    owner: head.readUInt32BE(20),
    ownerGeneration: head.readUInt16BE(24),
  };
}

/** Tells whether a key was made with `secret`; takes the same time whatever differs. */
export function isGenuine({ head, mac }: ParsedKey, secret: Uint8Array): boolean {
  return timingSafeEqual(macOf(head, secret), mac);
}

function macOf(head: Uint8Array, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(head).digest().subarray(0, macBytes);
}

/** Tells whether a key is the one that its record speaks of now. */
export function isCurrent(claims: RecordClaims, data: Keyed | undefined): boolean {
  return claims.generation === data?.generation && claims.version === data.secret_version;
}
