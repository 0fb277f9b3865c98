import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import type { groupFields, userFields } from '../../../shared/users/fields.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';
import { nameOfGroup } from '../../parts/group-choice.tsx';

/** A user, as the interface shows it. */
export type User = ShownRecord<typeof userFields>;

/** A group of users. */
export type Group = ShownRecord<typeof groupFields>;

/** The users of an instance. */
export const userType: RecordType<Pick<User, 'id' | 'username'>> = {
  noun: 'user',
  title: 'Users',
  path: (instance) => at`instances/${instance}/users/`,
  place: (instance) => at`/i/${instance}/users`,
  keyOf: ({ id }) => id,
  nameOf: ({ username }) => username,
};

/** The groups of users of an instance. */
export const groupType: RecordType<Group> = {
  noun: 'group',
  title: 'Groups',
  path: (instance) => at`instances/${instance}/groups/`,
  place: (instance) => at`/i/${instance}/groups`,
  keyOf: ({ id }) => id,
  nameOf: nameOfGroup,
};
