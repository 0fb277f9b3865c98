import { at } from '../../../shared/values/text/request-path.ts';
import { pagesOf } from '../../core/api.ts';

/** A user, as the interface shows it. */
export interface User {
  readonly id: number;
  readonly username: string;
  /** Null only while the user is being deleted. */
  readonly profile: { readonly id: number; readonly created_at: string } | null;
  readonly groups: readonly Group[];
  /** Absent for those who may not change users. */
  readonly user_key?: string;
}

/** A group of users. */
export interface Group {
  readonly id: number;
  readonly name: string | null;
  readonly label: string;
  readonly description: string;
}

/** Returns what a group is called. */
export function nameOfGroup({ id, name, label }: Group): string {
  return label.trim() || name || `Group ${id}`;
}

/** Returns the user with exactly this name; undefined when there is none. */
export async function findUser(instance: string, name: string): Promise<User | undefined> {
  const username = name.trim().toLowerCase(); // as names are kept
  const query = { username__startswith: username };
  for await (const users of pagesOf<User>(at`instances/${instance}/users/`, query)) {
    const found = users.find((user) => user.username === username);
    if (found !== undefined) return found;
  }
  return undefined;
}
