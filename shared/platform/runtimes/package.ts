import { strToU8, zipSync } from 'fflate';

/** Text of each file that a function needs beside the script, by name. */
export type RuntimeFiles = Readonly<Record<string, string>>;

/** A script for a function of its own. */
export interface PackagedScript {
  readonly source: string;
  readonly version: number;
  /** Name of the source's file: `main.js`, `main.py`. */
  readonly sourceName: string;
}

const mtime = '2020-01-01T00:00:00Z'; // any that does not change: the same script gives the same bytes
const options = { mtime, os: 3, attrs: 0o644 << 16, level: 9 } as const; // readable for all, as on Unix

/** Packs a script with its runtime: the code of a Lambda function, the same bytes for the same input. */
export function packScript(files: RuntimeFiles, script: PackagedScript): Uint8Array {
  const { source, version, sourceName } = script;
  const all = { ...files, [sourceName]: source, 'version.json': JSON.stringify({ version }) };
  const names = Object.keys(all).toSorted();
  const entries = names.map((name) => [name, strToU8(all[name] ?? '')] as const);
  return zipSync(Object.fromEntries(entries), options);
}
