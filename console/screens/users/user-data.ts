import type { groupFields, userFields } from '../../../functions/users/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { listPages } from '../../core/api.ts';

/** A user, as the interface shows it. */
export type User = ShownRecord<typeof userFields>;

/** A group of users. */
export type Group = ShownRecord<typeof groupFields>;

/** Returns what a group is called. */
export function nameOfGroup({ id, name, label }: Group): string {
  return label.trim() || name || `Group ${id}`;
}

/** Returns the user with exactly this name; undefined when there is none. */
export async function readUserByName(instance: string, name: string): Promise<User | undefined> {
  const username = name.trim().toLowerCase(); // as names are kept
  const query = { username__startswith: username };
  for await (const users of listPages<User>(at`instances/${instance}/users/`, query)) {
    const found = users.find((user) => user.username === username);
    if (found !== undefined) return found;
  }
  return undefined;
}
