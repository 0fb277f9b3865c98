import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/* What `npm ci` installs is what was reviewed: the hash of each package is in the lock file, for every system. */

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  /** Is part of the archive of the package that it is below. */
  readonly inBundle?: boolean;
  readonly link?: boolean;
}

const files = [
  'package-lock.json',
  '.ci/prism/package-lock.json',
  '.ci/runtime-client/package-lock.json',
];

describe.each(files)('%s', (file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(
    ([path, { inBundle, link }]) => path !== '' && inBundle !== true && link !== true,
  );

  it('has the hash of every package, also of those for other systems', () => {
    const without = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));

    expect(without.map(([path]) => path)).toEqual([]);
    expect(installed.length).toBeGreaterThan(100);
  });

  it('names no place to load one from, except the public registry', () => {
    const places = installed.flatMap(([, { resolved }]) => (resolved ? [resolved] : []));

    expect(places.filter((each) => !each.startsWith('https://registry.npmjs.org/'))).toEqual([]);
  });
});
