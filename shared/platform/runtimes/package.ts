import { strToU8, zipSync } from 'fflate';

/** Text of each file that a function needs in addition to the script, by name. */
export type RuntimeFiles = Readonly<Record<string, string>>;

/** A script to be packed for its own function. */
export interface PackagedScript {
  readonly source: string;
  readonly version: number;
  /** Name of the source's file: `main.js`, `main.py`. */
  readonly sourceName: string;
}

const mtime = '2020-01-01T00:00:00Z'; // any constant: the same script results in the same bytes
const options = { mtime, os: 3, attrs: 0o644 << 16, level: 9 } as const; // readable for all, as on Unix

/** Packs a script with its runtime: the code of a Lambda function, the same bytes for the same input. */
export function packScript(files: RuntimeFiles, script: PackagedScript): Uint8Array {
  const { source, version, sourceName } = script;
  const all = { ...files, [sourceName]: source, 'version.json': JSON.stringify({ version }) };
  const names = Object.keys(all).toSorted();
  const entries = names.map((name) => [name, strToU8(all[name] ?? '')] as const);
  return zipSync(Object.fromEntries(entries), options);
}
