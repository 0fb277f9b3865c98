import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../../../../values/caught.ts';

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
  create(path: string, contents: Buffer): void;
  /** Returns the contents of a file; undefined when it is absent. */
  read(path: string): Buffer | undefined;
  open(path: string): LogFile;
}

/** The disk of this machine. */
export const machineDisk: LogDisk = {
  create: (path, contents) => {
    const draft = `${path}.draft`;
    const file = openSync(draft, 'w', 0o600);
    try {
      writeAll(file, contents, 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    const folder = openSync(dirname(path), 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  },
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
