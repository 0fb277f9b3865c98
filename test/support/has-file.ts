import type { FileStore } from '../../shared/platform/ports.ts';

/** Checks whether a file exists. */
export async function hasFile(files: Pick<FileStore, 'size'>, key: string): Promise<boolean> {
  return (await files.size(key)) !== undefined;
}
