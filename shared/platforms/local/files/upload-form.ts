import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import type { ContentHead, UploadForm, UploadTerms } from '../../../ports/file-store.ts';
import {
  type FileKey,
  type OwnedKey,
  ownerOfFile,
  readFileKey,
} from '../../../values/file-keys.ts';

/** Creates and reads presigned forms for uploads outside the interface, similar to those of S3. */
export interface UploadForms {
  make(key: FileKey, terms: UploadTerms): UploadForm;
  /** Returns the upload that a submitted form allows; undefined when it was not signed here or has expired. */
  read(fields: Readonly<Record<string, string>>): AllowedUpload | undefined;
}

/** An upload that a form allows. */
export interface AllowedUpload extends OwnedKey, ContentHead {
  readonly maxBytes: number;
}

const policySchema = v.object({
  key: v.string(),
  contentType: v.string(),
  filename: v.optional(v.string()),
  maxBytes: v.number(),
  expiresMs: v.number(),
});

/**
 * Opens the forms of one server process: they are signed with a secret that is lost with it.
 *
 * @param address where forms are posted to
 */
export function createUploadForms(address: () => string, nowMs: () => number): UploadForms {
  const secret = randomBytes(32);
  const sign = (policy: string) => createHmac('sha256', secret).update(policy).digest();
  return {
    make: (key, { contentType, filename, maxBytes, seconds }) => {
      const expiresMs = nowMs() + seconds * 1000;
      const text = JSON.stringify({ key, contentType, filename, maxBytes, expiresMs });
      const policy = Buffer.from(text).toString('base64url');
      const signature = sign(policy).toString('hex');
      return { url: `${address()}/`, fields: { policy, signature } };
    },
    read: ({ policy = '', signature = '' }) => {
      if (!/^[0-9a-f]{64}$/.test(signature)) return undefined;
      if (!timingSafeEqual(sign(policy), Buffer.from(signature, 'hex'))) return undefined;
      const text = Buffer.from(policy, 'base64url').toString();
      const { expiresMs, ...allowed } = v.parse(policySchema, JSON.parse(text)); // this process has signed it
      const key = readFileKey(allowed.key);
      if (key === undefined || nowMs() > expiresMs) return undefined;
      return { ...allowed, key, owner: ownerOfFile(key) }; // the owner for whom the form was made
    },
  };
}
