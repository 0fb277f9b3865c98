import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchorsOf, codeLinksOf, linksOf, pathsOf } from './markdown.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
/** Installed or generated files, and data of trial servers. */
const skipped = new Set(['.git', 'node_modules', '.groundwork', '.build', 'cdk.out', 'coverage']);
const files = filesIn('');
const pages = files.filter((path) => path.endsWith('.md'));
const sources = files.filter((path) => /\.(ts|cjs|mjs|js|py)$/.test(path));

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(join(project, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

const read = (path: string) => readFileSync(join(project, path), 'utf8');
const anchors = new Map(pages.map((path) => [path, anchorsOf(read(path))]));

/** Checks whether a path in the project exists, including the heading of an anchor. */
function isThere(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (anchor === undefined || anchor === '') return existsSync(join(project, path));
  return anchors.get(path)?.has(anchor) ?? false;
}

test('pages and sources to check exist', () => {
  expect(pages).toContain('docs/reference/README.md');
  expect(sources).toContain('shared/core/pipeline/dispatch.ts');
  expect(anchors.get('docs/reference/keys.md')).toContain('bare-api-key');
});

test('every anchor of the reference in sources and pages exists', () => {
  const missing = [...sources, ...pages].flatMap((path) => {
    const named = read(path).match(/docs\/reference\/[\w-]+\.md(#[\w-]+)?/g) ?? [];
    return named.filter((target) => !isThere(target)).map((target) => `${path}: ${target}`);
  });

  expect(missing).toEqual([]);
});

test('every relative link between pages leads to an existing file and heading', () => {
  const broken = pages.flatMap((path) => {
    const links = linksOf(read(path)).filter((link) => !/^[a-z][a-z+.-]*:/i.test(link));
    return links.filter((link) => !isThere(targetOf(path, link))).map((link) => `${path}: ${link}`);
  });

  expect(broken).toEqual([]);
});

test('every path in inline code exists', () => {
  const missing = pages.flatMap((path) =>
    pathsOf(read(path)).flatMap((named) => (isThere(named) ? [] : `${path}: ${named}`)),
  );

  expect(pathsOf(read('CONTRIBUTING.md'))).toContain('test/city/citizens.ts');
  expect(missing).toEqual([]);
});

test('a link whose text is a name leads to a source that contains the name', () => {
  const wrong = pages.flatMap((path) =>
    codeLinksOf(read(path))
      .filter(
        ({ code, target }) =>
          /^[A-Za-z]\w*$/.test(code) && sources.includes(targetOf(path, target)),
      )
      .filter(({ code, target }) => !new RegExp(`\\b${code}\\b`).test(read(targetOf(path, target))))
      .map(({ code, target }) => `${path}: ${code} in ${target}`),
  );

  expect(wrong).toEqual([]);
});

function targetOf(page: string, link: string): string {
  const [path = '', anchor] = decodeURIComponent(link).split('#');
  const file = path === '' ? page : relative('', join(dirname(page), path));
  return anchor === undefined ? file : `${file}#${anchor}`;
}

test('a comment that refers to the reference names an anchor in it', () => {
  const vague = sources.flatMap((path) =>
    commentsOf(read(path))
      .flatMap((comment) => comment.match(/\breference:\s(?!docs\/reference\/)[^\n]*/gi) ?? [])
      .map((words) => `${path}: ${words}`),
  );

  expect(vague).toEqual([]);
});

/** Finds comments of a source, without a parser: a string that looks like one is counted as one. */
function commentsOf(source: string): readonly string[] {
  return source.match(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/[^\n]*|^\s*#[^\n]*/gm) ?? [];
}

test.each([
  ['docs/reference', 'docs/reference/README.md'],
  ['docs/guides', 'docs/README.md'],
  ['docs/internals', 'docs/README.md'],
])('every page of %s is in the index %s', (folder, index) => {
  const listed = linksOf(read(index)).map((link) => targetOf(index, link));
  const own = pages.filter((path) => dirname(path) === folder && path !== index);

  expect(own.length).toBeGreaterThan(5);
  expect(own.filter((path) => !listed.includes(path))).toEqual([]);
});

test('README.md has at most 1,200 words, CONTRIBUTING.md at most 12,000 bytes', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(1200);
  expect(Buffer.byteLength(read('CONTRIBUTING.md'))).toBeLessThanOrEqual(12_000);
});
