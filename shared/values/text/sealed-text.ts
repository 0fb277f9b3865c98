import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text. It can be read, but not changed, only with the same key and the same context.
 *
 * @param key 32 bytes, which may be used for many texts
 * @returns base64
 */
export function sealText(key: Uint8Array, text: string, context: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context));
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64');
}

/**
 * Decrypts a text of `sealText`.
 *
 * @throws Error when key or context differ, or the sealed text was changed
 */
export function unsealText(key: Uint8Array, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
  const opened = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()];
  return Buffer.concat(opened).toString();
}
