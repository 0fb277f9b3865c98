import type { PackedFile } from './packed-file.ts';

/**
 * Compresses a file, so that nothing is compressed while it is served.
 *
 * @param options.isFixed       see PackedFile
 * @param options.brotliQuality 11 makes the smallest file and is slow
 */
export function packFile(
  content: Uint8Array,
  options: { readonly isFixed: boolean; readonly brotliQuality: number },
): Omit<PackedFile, 'type'>;
