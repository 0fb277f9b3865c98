import { expect } from 'vitest';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

const shown = (type: string, label: string, more: object = {}) => ({
  type,
  required: false,
  read_only: true,
  label,
  ...more,
});
const taken = (type: string, label: string, more: object = {}) =>
  shown(type, label, { read_only: false, ...more });
const required = { required: true };
const choices = ['none', 'read', 'create_objects'].map((word) => ({
  value: word,
  display_name: word,
}));
const about = {
  description: '',
  renders: ['application/json', 'text/html'],
  parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
};
const fields = {
  name: taken('string', 'Name', { ...required, max_length: 50 }),
  description: taken('string', 'Description', { max_length: 256 }),
  schema: taken('field', 'Schema', required),
  status: shown('field', 'Status'),
  created_at: shown('datetime', 'Created at'),
  updated_at: shown('datetime', 'Updated at'),
  objects_count: shown('field', 'Objects count'),
  revision: shown('integer', 'Revision', required),
  group: taken('field', 'Group'),
  group_permissions: taken('choice', 'Group permissions', { ...required, choices }),
  other_permissions: taken('choice', 'Other permissions', { ...required, choices }),
  metadata: taken('field', 'Metadata'),
};
const links = shown('links', 'Links', {
  links: [
    { name: 'self', type: 'detail' },
    { name: 'objects', type: 'list' },
    { name: 'group', type: 'detail' },
  ],
});

it('the list of classes describes itself and its creation', async ({ world }) => {
  const { status, body } = await world.own('OPTIONS', 'classes/');

  expect([status, body]).toEqual([
    200,
    { name: 'Klass List', ...about, actions: { POST: { ...fields, links } } },
  ]);
  expect(Object.keys(body.actions.POST)).toEqual([...Object.keys(fields), 'links']);
});

it('a class describes its full update, whether it exists or not', async ({ world }) => {
  const { status, body } = await world.own('OPTIONS', 'classes/nothing/');

  const name = shown('string', 'Name', { ...required, max_length: 50 });
  const expected_revision = taken('integer', 'Expected revision');
  expect([status, body]).toEqual([
    200,
    {
      name: 'Klass Instance',
      ...about,
      actions: { PUT: { ...fields, name, expected_revision, links } },
    },
  ]);
});

it('an API key, which cannot change classes, gets no actions', async ({ world }) => {
  const key = await world.apiKey({ ignore_acl: true });

  const { body } = await world.call(key, 'OPTIONS', 'classes/');

  expect(body).toEqual({ name: 'Klass List', ...about });
});

it('a list of objects describes the fields of its class', async ({ world }) => {
  await world.dataClass('book', [
    { name: 'title', type: 'string' },
    { name: 'pages', type: 'integer' },
    { name: 'next', type: 'reference', target: 'self' },
  ]);

  const { body } = await world.own('OPTIONS', 'classes/book/objects/');

  expect(body).toMatchObject({
    name: 'Data Object List',
    actions: {
      POST: {
        id: shown('integer', 'ID'),
        title: taken('string', 'Title', { max_length: 128 }),
        pages: taken('integer', 'Pages'),
        next: taken('field', 'Next'),
      },
    },
  });
});
