import { strToU8, zipSync } from 'fflate';

/** A package for tests. */
export interface TestPackage {
  readonly name: string;
  readonly version?: string;
  /** Requirements, as in its metadata. */
  readonly needs?: readonly string[];
  /** Files by path. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Platform tag; absent for a pure-Python wheel. */
  readonly platform?: string;
}

/** Returns the file name and the content of a wheel. */
export function makeWheel({
  name,
  version = '1.0',
  needs = [],
  files,
  platform = 'any',
}: TestPackage): readonly [string, Uint8Array] {
  const stem = `${name.replaceAll('-', '_')}-${version}`;
  const tag = `py3-none-${platform}`;
  const metadata = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`];
  const all = {
    ...files,
    [`${stem}.dist-info/METADATA`]: [
      ...metadata,
      ...needs.map((each) => `Requires-Dist: ${each}`),
      '',
    ].join('\n'),
    [`${stem}.dist-info/WHEEL`]: `Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: ${tag}\n`,
    [`${stem}.dist-info/RECORD`]: '',
  };
  const entries = Object.entries(all).map(
    ([path, content]) => [path, typeof content === 'string' ? strToU8(content) : content] as const,
  );
  return [`${stem}-${tag}.whl`, zipSync(Object.fromEntries(entries), { mtime: '2021-01-01' })];
}
