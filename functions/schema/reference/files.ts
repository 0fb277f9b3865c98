import { packFile } from '../../../shared/console/pack-file.mjs';
import type { PackedFiles } from '../../../shared/console/packed-file.ts';
import type { Route } from '../../../shared/core/family.ts';
import { inlineSource } from '../../../shared/core/pages/shell.ts';
import { makeDocument } from '../make-document.ts';
import { referencePage, type ShownDocument } from './page.ts';
import { referenceStyle } from './style.ts';

/** Sandboxed, the page has an origin of its own: it runs no script, and cannot read what the console stores. */
const policy = [
  'sandbox',
  "default-src 'none'",
  `style-src '${inlineSource(referenceStyle)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'unsafe-none', // browsers block a sandboxed page with any other
};

/** Makes the page with all operations of v1.1 (docs/reference/README.md#openapi) as the file to serve. */
export function referenceFiles(routes: readonly Route[], brotliQuality: number): PackedFiles {
  const document = makeDocument(routes, 'v1.1', 'openapi') as unknown as ShownDocument; // its form, of our own routes
  const content = Buffer.from(referencePage(document));
  const packed = packFile(content, { isFixed: false, brotliQuality });
  return { 'index.html': { type: 'text/html; charset=utf-8', headers, ...packed } };
}
