/** A file that the console's function serves, as pack-file.mjs makes it; bytes are in base64. */
export interface PackedFile {
  /** The media type. */
  readonly type: string;
  /** Differs for each content. */
  readonly tag: string;
  /** Whether the name contains a hash of the content, which therefore never changes. */
  readonly isFixed: boolean;
  /** Headers in place of those that all files have; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent, like `br`: not smaller. */
  readonly gzip?: string;
  readonly br?: string;
  /** Absent where `gzip` is present. */
  readonly identity?: string;
}

/** Files by name. */
export type PackedFiles = Readonly<Record<string, PackedFile>>;
