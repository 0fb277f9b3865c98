/** A file of the console as console/bundle.mjs makes it; bytes are in base64. */
export interface PackedFile {
  /** The media type. */
  readonly type: string;
  /** Differs for each content. */
  readonly tag: string;
  /** Whether the name contains a hash of the content, which therefore never changes. */
  readonly isFixed: boolean;
  readonly identity: string;
  /** Absent, like `br`: not smaller. */
  readonly gzip?: string;
  readonly br?: string;
}

/** All files of the console, by name. */
export type PackedFiles = Readonly<Record<string, PackedFile>>;
