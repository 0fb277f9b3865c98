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

test('no test file shares variables between its tests', () => {
  const files = filesBelow('test').filter((file) => file.endsWith('.test.ts'));
  const sharing = files.filter((file) => /^let /m.test(readFileSync(join(project, file), 'utf8')));

  expect(files.length).toBeGreaterThan(500);
  expect(sharing.sort()).toEqual([
    'test/aws/store-read.test.ts', // a mock of the SDK patches a class, and is made again before each test
    'test/aws/store-write.test.ts',
    'test/aws/store.test.ts',
    'test/client/moved.test.ts', // servers that a library in this process uses one after the other
  ]);
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

test('families import from shared/core/family.ts what it exports', () => {
  const barrel = 'shared/core/family.ts';
  const exported = new Set(namesFrom(barrel).map(([name, from]) => `${name} of ${from}`));
  const others = filesBelow('functions').flatMap((file) =>
    namesFrom(file)
      .filter(([name, from]) => exported.has(`${name} of ${from}`))
      .map(([name]) => [file, name]),
  );

  expect(exported.size).toBeGreaterThan(20);
  expect(others).toEqual([]);
});

/** Returns the names that a source imports or exports from modules of the project, each with its module. */
function namesFrom(file: string): readonly (readonly [string, string])[] {
  const text = readFileSync(join(project, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)';$/gm),
  ].flatMap(([, names = '', from = '']) =>
    [...names.matchAll(/(?:type )?(\w+)(?: as \w+)?/g)].map(
      ([, name = '']) => [name, join(dirname(file), from)] as const,
    ),
  );
}
