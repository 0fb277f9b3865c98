import { closeSync, fdatasync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { codeOf } from '../../../../values/caught.ts';
import { replaceFile } from '../../files/atomic-file.ts';

/** A file of the log on a disk. */
export interface LogFile {
  /** Writes bytes, which are on the disk after the next `flush`. */
  write(bytes: Buffer, position: number): void;
  flush(): Promise<void>;
  /** Does the same, and blocks the event loop until it is done. */
  flushSync(): void;
  close(): void;
}

/** The disk of the log. */
export interface LogDisk {
  /** Creates a file with its contents, complete and on the disk, or replaces it. */
  create(path: string, contents: Buffer): Promise<void>;
  /** Returns the contents of a file; undefined when it is absent. */
  read(path: string): Buffer | undefined;
  open(path: string): LogFile;
}

/** The disk of this machine. */
export const machineDisk: LogDisk = {
  create: replaceFile,
  read: (path) => {
    try {
      return readFileSync(path);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      return undefined;
    }
  },
  open: (path) => {
    const file = openSync(path, 'r+');
    return {
      write: (bytes, position) => writeAll(file, bytes, position),
      flush: () =>
        new Promise((resolve, reject) => {
          fdatasync(file, (error) => (error === null ? resolve() : reject(error)));
        }),
      flushSync: () => fdatasyncSync(file),
      close: () => closeSync(file),
    };
  },
};

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}
