import { createHash } from 'node:crypto';

/** Returns a digest of a text: 44 characters of base64, the same for the same text and hardly ever for another one. */
export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
