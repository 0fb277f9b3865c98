import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/* The layout of the sources, as CONTRIBUTING.md describes it. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const mostFiles = 15;

/** Source files below a folder of the project. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.length));
}

test('no folder has more than 15 files', () => {
  const counts = new Map<string, number>();
  for (const file of ['bin', 'lib', 'functions', 'shared'].flatMap(filesBelow)) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }

  expect(counts.get('lib')).toBeGreaterThan(10);
  expect([...counts].filter(([, count]) => count > mostFiles)).toEqual([]);
});

/** Words that name a feature, without those that are general as well (object, user, push, search). */
const featureWords = new Set([
  'apns',
  'channel',
  'channels',
  'classes',
  'device',
  'devices',
  'gcm',
  'groups',
  'schedule',
  'schedules',
  'script',
  'scripts',
  'template',
  'templates',
  'trace',
  'traces',
  'trigger',
  'triggers',
  'usage',
]);

/** Returns the words of names in a source, without comments and strings: `scriptEntity` is `script` and `entity`. */
function wordsIn(file: string): ReadonlySet<string> {
  const words = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      for (const word of node.text.split(/(?=[A-Z])|_/)) words.add(word.toLowerCase());
    }
    ts.forEachChild(node, visit);
  };
  const text = readFileSync(join(project, file), 'utf8');
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return words;
}

/** Places where the core names features, each with its reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  'shared/core/pages/assets.ts': ['script'], // of the page
  'shared/core/pages/html.ts': ['template'], // the literal
  'shared/core/pages/shell.ts': ['script'], // of the page
  // scripts have credentials, and the rights of users depend on their groups
  'shared/core/pipeline/caller/authentication.ts': ['script'],
  'shared/core/pipeline/caller/caller-records.ts': ['groups', 'script'],
};

test('the core names features only where they are listed here', () => {
  const found = filesBelow('shared/core')
    .filter((file) => file.endsWith('.ts') && !file.includes('/browser/'))
    .map((file) => [file, [...wordsIn(file)].filter((word) => featureWords.has(word)).sort()])
    .filter(([, words]) => words?.length !== 0);

  expect(Object.fromEntries(found)).toEqual(exceptions);
});
