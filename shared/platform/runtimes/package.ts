import { strToU8, zipSync } from 'fflate';

/** Content of each file that a function needs in addition to the script, by file name. */
export type RuntimeFiles = Readonly<Record<string, string>>;

/** A script that is packed for its own function. */
export interface PackagedScript {
  readonly source: string;
  readonly version: number;
  /** File name of the source: `main.js` or `main.py`. */
  readonly sourceName: string;
}

const mtime = '2020-01-01T00:00:00Z'; // any constant: the same script always gives the same bytes
const options = { mtime, os: 3, attrs: 0o644 << 16, level: 9 } as const; // Unix mode: readable for all

/** Packs a script and its runtime as the code of a Lambda function. The same input gives the same bytes. */
export function packScript(files: RuntimeFiles, script: PackagedScript): Uint8Array {
  const { source, version, sourceName } = script;
  const all = { ...files, [sourceName]: source, 'version.json': JSON.stringify({ version }) };
  const names = Object.keys(all).toSorted();
  const entries = names.map((name) => [name, strToU8(all[name] ?? '')] as const);
  return zipSync(Object.fromEntries(entries), options);
}
