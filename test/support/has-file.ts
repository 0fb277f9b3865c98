import type { FileStore } from '../../shared/platform/ports.ts';

/** Tells whether a file is there. */
export async function hasFile(files: Pick<FileStore, 'size'>, key: string): Promise<boolean> {
  return (await files.size(key)) !== undefined;
}
