import { readFileSync } from 'node:fs';

/** A screen of the console. */
interface ScreenEntry {
  readonly path: string;
  /** Is shown without an account. */
  readonly isOpen: boolean;
}

const map = readFileSync(new URL('../../console/app/screens.ts', import.meta.url), 'utf8');

/** All screens, from the map. */
export const screenEntries: readonly ScreenEntry[] = [
  ...map.matchAll(/path: '([^']+)'(?:(?!path: )[^}])*\}/g),
].map(([entry, path = '']) => ({ path, isOpen: entry.includes('isOpen: true') }));
