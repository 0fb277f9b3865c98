import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/* One exported name is declared in one file, so that a search for it finds one thing. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['bench', 'bin', 'console', 'functions', 'lib', 'shared'];
const maxExceptions = 40;

const samePort = 'the same port on both platforms; a program imports one of them';
const sameFamily = 'one file of each family, which the map imports';
const shipped = 'the client that is written into projects of users, which imports nothing of ours';

/** Names that several files may declare, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  BackgroundOptions: samePort,
  FilesOptions: samePort,
  JsonObject: shipped,
  LogOptions: samePort,
  ObjectPermission: shipped,
  PreparedTransaction: samePort,
  Screen: 'the export of each file of a screen, which the router of the console loads',
  StoreOptions: samePort,
  grants: sameFamily,
  handler: 'the export that Lambda calls',
  jobs: sameFamily,
  main: 'the export of each program that a launcher calls',
  openDeadLetters: samePort,
  openFiles: samePort,
  openLog: samePort,
  openMessages: samePort,
  openPlatform: samePort,
  openRuns: samePort,
  openScripts: samePort,
  openSecrets: samePort,
  openStore: samePort,
  openTemplates: samePort,
  prepareTransaction: samePort,
  readEnvironment: samePort,
};

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:type|interface|class|function\*?|const|let|enum) (\w+)/gm;

/** Returns the files that declare each exported name. */
function filesByName(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = new Map<string, Set<string>>();
  for (const folder of folders) {
    for (const name of readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name) || name.endsWith('.d.ts')) continue;
      const file = join(folder, name);
      for (const [, exported = ''] of readFileSync(join(project, file), 'utf8').matchAll(
        declaration,
      )) {
        files.set(exported, (files.get(exported) ?? new Set()).add(file));
      }
    }
  }
  return files;
}

test('an exported name is declared in one file', () => {
  const all = filesByName();
  const repeated = [...all].filter(([, files]) => files.size > 1);

  expect(all.size).toBeGreaterThan(2000);
  expect(repeated.filter(([name]) => !Object.hasOwn(exceptions, name))).toEqual([]);
  expect(Object.keys(exceptions).length).toBeLessThanOrEqual(maxExceptions);
  const names = new Set(repeated.map(([name]) => name));
  expect(Object.keys(exceptions).filter((name) => !names.has(name))).toEqual([]);
});
