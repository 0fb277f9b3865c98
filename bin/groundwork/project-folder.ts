import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/**
 * Returns the folder of the project, as a path from the current folder: that one, or else the nearest folder above it
 * that is a project. The search ends below the home, and at a folder in which other users may write: a file of theirs
 * there would name the server of this project.
 */
export function projectFolder(): string {
  const current = process.cwd();
  const owners = [statSync(current).uid, process.getuid?.()];
  const isOwn = ({ uid }: Stats) => owners.includes(uid);
  const home = realpathOf(homedir());
  for (let folder = current; ; folder = dirname(folder)) {
    const isHere = folder === current; // whoever owns the files
    if (isProject(folder, isHere ? () => true : isOwn)) return relative(current, folder) || '.';
    if (folder === home || !maySearch(dirname(folder), home, isOwn)) return '.';
  }
}

type IsOwn = (stats: Stats) => boolean;

function maySearch(folder: string, home: string | undefined, isOwn: IsOwn): boolean {
  if (folder === home || folder === dirname(folder)) return false;
  const stats = statSync(folder);
  const isShared = process.platform !== 'win32' && (stats.mode & 0o002) !== 0;
  return isOwn(stats) && !isShared;
}

const markers = ['groundwork.yml', 'syncano.yml', '.env'] as const;

/**
 * Checks whether a folder has a project file, or settings, and none of them is another user's. A link counts: what reads it
 * says what is wrong. A folder named `.env` does not.
 */
function isProject(folder: string, isOwn: IsOwn): boolean {
  const found = markers.flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.isDirectory() ? [] : [{ name, path, stats }];
  });
  if (!found.every(({ stats }) => isOwn(stats))) return false;
  return found.some(
    ({ name, path, stats }) => name !== '.env' || !stats.isFile() || hasSettings(path),
  );
}

function hasSettings(path: string): boolean {
  try {
    return /^\s*(export\s+)?GROUNDWORK_\w+\s*=/m.test(readFileSync(path, 'latin1'));
  } catch {
    return false; // this user may not read it
  }
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // this user has no home
  }
}
