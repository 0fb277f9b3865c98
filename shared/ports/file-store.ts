import type { FileFolder, FileKey, FileOwner, OwnedKey } from '../values/file-keys.ts';

/**
 * Stores files by key. Those of the area `public` are served at `address()` to any client with the address, those of
 * `private` at signed addresses, and all others not at all. Each function is told on whose behalf it acts, and throws ForeignFile, before it does anything, for a key
 * that is not a whole key of a file of this owner (docs/internals/file-keys.md).
 */
export interface FileStore {
  /** Returns the address of public files, without a slash at the end: `<address>/<key without public/>`. */
  address(): string;
  /**
   * Returns addresses where a GET reads private files for {@link signedSeconds}, as they were stored and uncached. Each
   * is for one file and method, and gives any client with it the right to read the file.
   */
  signedAddresses(owner: FileOwner, keys: readonly FileKey[]): Promise<readonly string[]>;
  /** Stores a file, durable when it resolves; an existing one is replaced. */
  put(owner: FileOwner, key: FileKey, file: NamedContent): Promise<void>;
  /** Reads a whole file; undefined when it is absent. */
  get(owner: FileOwner, key: FileKey): Promise<FileContent | undefined>;
  /** Returns the bytes of a file; undefined when it is absent. */
  size(owner: FileOwner, key: FileKey): Promise<number | undefined>;
  /** Copies a file with its type and name; false when it is absent. */
  copy(from: OwnedKey, to: OwnedKey): Promise<boolean>;
  /**
   * Checks whether another process is copying the files: until its end, jobs delete none that data may refer to. Absent
   * where there is no such process.
   */
  isHeld?(): Promise<boolean>;
  /** Deletes files of an owner if they exist; none when one of the keys is not the owner's. */
  remove(owner: FileOwner, keys: readonly FileKey[]): Promise<void>;
  /** Deletes all files of an owner in an area, or those of one class, script or backup. */
  removeAll(folder: FileFolder): Promise<void>;
  /**
   * Creates a presigned form for uploading one file directly to the file storage. Uploads in the area `uploads` are
   * deleted after a day or two, and so are files of `traces`.
   */
  openUpload(owner: FileOwner, key: FileKey, terms: UploadTerms): Promise<UploadForm>;
}

/** Seconds for which the address of a private file is valid. */
export const signedSeconds = 600;

/** Headers of a private file: no cache keeps it. */
export const privateCaching = 'private, no-store';

/** Content and type of a file. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** Headers with which a file is served. */
export interface ContentHead {
  readonly contentType: string;
  /** Name with which it is downloaded, as `downloadNameOf` returns it. */
  readonly filename?: string | undefined;
}

/** A file to store. */
export type NamedContent = FileContent & ContentHead;

/** Limits of an upload. */
export interface UploadTerms extends ContentHead {
  readonly maxBytes: number;
  /** Seconds within which the upload must begin. */
  readonly seconds: number;
}

/** A form to post as multipart/form-data: all fields, followed by the file as `file`. */
export interface UploadForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}
