import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Returns the bytes of a bundle that are loaded at start: of a file and of its static imports, in turn. */
export function loadedBytes(file: string, counted = new Set<string>()): number {
  if (counted.has(file)) return 0;
  counted.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/\b(?:from|import)"\.\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  return imported.reduce(
    (bytes, name) => bytes + loadedBytes(join(dirname(file), name), counted),
    statSync(file).size,
  );
}
