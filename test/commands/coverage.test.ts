import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { sections } from '../../bin/groundwork/project/model/sections.ts';
import { tableAfter } from '../docs/markdown.ts';
import { type Api, expected } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';

/* Everything that can be changed through the interface is in the project file, or listed as not managed. */

const test = apiTest().extend('operations', { scope: 'file' }, ({ api }) => writesOf(api));

const guide = readFileSync(new URL('../../docs/guides/project.md', import.meta.url), 'utf8');
const unmanaged = [...tableAfter(guide, '## Not managed').keys()].flatMap((cell) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace(/<\w+>/g, '*')),
);
const managed = sections.flatMap(({ path, isSettings }) =>
  isSettings ? [path] : [path, `${path}*/`],
);

/** Members of bodies that the file has in another form, or not at all. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  classes: ['schema', 'expected_revision', 'ignored_target_classes'], // the first as `fields`
  scripts: ['source'], // in a file
  push: ['certificate', 'token_key', 'key_id', 'team_id'].flatMap((name) => [
    `production_${name}`,
    `development_${name}`,
  ]),
};

test('every path that changes something is managed, or listed as not managed', ({ operations }) => {
  const unknown = operations
    .map(({ path }) => path)
    .filter((path) => !managed.includes(path))
    .filter((path) => !unmanaged.some((prefix) => path.startsWith(prefix)));

  expect(operations.length).toBeGreaterThan(60);
  expect([...new Set(unknown)]).toEqual([]);
});

test('every path that is listed as not managed exists', ({ operations }) => {
  const paths = operations.map(({ path }) => path);

  expect(unmanaged.filter((prefix) => !paths.some((path) => path.startsWith(prefix)))).toEqual([]);
  expect(managed.filter((path) => !paths.includes(path))).toEqual([]);
});

test.for(sections.map((section) => [section.name, section] as const))(
  'every member that can be written is in the section %s',
  ([name, { path, isSettings, members, nameMember }], { operations }) => {
    const method = isSettings ? 'put' : 'post';
    const form = operations.find((each) => each.path === path && each.method === method)?.form;
    const known = [...Object.keys(members), nameMember, ...(exceptions[name] ?? [])];

    const written = Object.entries<{ readonly readOnly?: boolean }>(form.properties)
      .filter(([, { readOnly }]) => readOnly !== true)
      .map(([member]) => member);

    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((member) => !known.includes(member))).toEqual([]);
  },
);

/** Returns the operations that change something in an instance, with the form of their bodies. */
async function writesOf(api: Api) {
  const root = '/v1.1/instances/*/';
  const document = await api.send({ path: '/v1.1/schema/?format=openapi' });
  const { paths, components } = expected(document, 200);
  return Object.entries<Record<string, unknown>>(paths).flatMap(([path, own]) =>
    Object.entries(own).flatMap(([method, operation]) => {
      const pattern = path.replace(/\{\w+\}/g, '*');
      const isWrite = ['post', 'put', 'patch', 'delete'].includes(method);
      if (!isWrite || !pattern.startsWith(root)) return [];
      const form = bodyOf(operation, components);
      return [{ path: pattern.slice(root.length), method, form }];
    }),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the document is read in parts
function bodyOf(operation: any, components: any) {
  const schema = operation.requestBody?.content?.['application/json']?.schema;
  const name = schema?.$ref?.split('/').at(-1);
  return name === undefined ? schema : components.schemas[name];
}
