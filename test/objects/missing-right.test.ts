import { expect, test } from 'vitest';
import { missingRight } from '../../console/screens/keys/missing-right.ts';
import { mayRead } from '../../shared/classes/rules/permissions.ts';

const bare = { ignore_acl: false, allow_anonymous_read: false };
const reader = { ...bare, allow_anonymous_read: true };
const viewed = {
  name: 'book',
  objects_count: 5,
  group: 7,
  group_permissions: 'none',
  other_permissions: 'none',
} as const;
const open = { ...viewed, other_permissions: 'read' } as const;
const forGroup = { ...viewed, group_permissions: 'read' } as const;
const openObject = {
  owner: null,
  group: null,
  owner_permissions: 'full',
  group_permissions: 'none',
  other_permissions: 'read',
} as const;
const member = { id: 1, groups: [7] };
const stranger = { id: 2, groups: [] };

test.each([
  [
    'The key lacks allow_anonymous_read, and the class gives everyone no access.',
    { apiKey: bare, user: undefined },
    viewed,
  ],
  ['The key lacks allow_anonymous_read.', { apiKey: bare, user: undefined }, open],
  ['The class gives everyone no access.', { apiKey: reader, user: undefined }, forGroup],
  ['The class gives everyone no access.', { apiKey: bare, user: stranger }, forGroup],
  ['The class gives its group and everyone no access.', { apiKey: bare, user: member }, viewed],
  ['No object gives everyone the right to read it.', { apiKey: reader, user: undefined }, open],
  [
    'No object gives the user, a group of the user or everyone the right to read it.',
    { apiKey: bare, user: member },
    forGroup,
  ],
] as const)('%s', (sentence, viewer, ofClass) => {
  const flags = { ...viewer.apiKey, allow_user_create: false, allow_group_create: false };
  const actor = { kind: 'apiKey', key: 1, instance: 1, flags, user: viewer.user } as const;
  const mayReadOpenObject = mayRead(actor, ofClass, openObject);

  expect(missingRight(viewer, ofClass)).toBe(sentence);
  expect(mayReadOpenObject).toBe(sentence.startsWith('No object'));
});

test('no right is missing where there is nothing to see, and for a key without limits', () => {
  const all = { apiKey: { ...bare, ignore_acl: true }, user: undefined };

  expect(missingRight(all, viewed)).toBeUndefined();
  expect(missingRight({ apiKey: bare, user: undefined }, { ...viewed, objects_count: 0 })).toBe(
    undefined,
  );
});
