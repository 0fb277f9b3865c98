import type { FileStore } from '../../shared/ports/file-store.ts';

/** A file store without files, for tests that are not about them. */
export const noFiles: FileStore = {
  address: () => 'https://files.example',
  signedAddresses: () => Promise.resolve([]),
  put: () => Promise.reject(new Error('there are no files here')),
  get: () => Promise.resolve(undefined),
  size: () => Promise.resolve(undefined),
  copy: () => Promise.resolve(false),
  remove: () => Promise.resolve(),
  removeAll: () => Promise.resolve(),
  openUpload: () => Promise.reject(new Error('there are no files here')),
};
