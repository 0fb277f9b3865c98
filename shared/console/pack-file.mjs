import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

// Plain JavaScript, because bin/start.mjs imports it untransformed; pack-file.d.mts declares its types.

export function packFile(content, { isFixed, brotliQuality }) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const br = brotliCompressSync(content, { params });
  const gzip = gzipSync(content, { level: 9 });
  const toText = (bytes) => Buffer.from(bytes).toString('base64');
  return {
    tag: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    isFixed,
    ...(br.length < content.length && { br: toText(br) }),
    ...(gzip.length < content.length ? { gzip: toText(gzip) } : { identity: toText(content) }),
  };
}
