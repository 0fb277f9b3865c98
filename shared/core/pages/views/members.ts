import { sharedMembers } from '../../../table/shared-members.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../values/json/json.ts';
import { isApiPath } from '../json.ts';

const systemMembers: ReadonlySet<string> = new Set(sharedMembers);

/** Names of members, in their order. */
export interface MemberNames {
  readonly own: readonly string[];
  /** Those that are folded. */
  readonly system: readonly string[];
}

/** Sorts names into a resource's own ones and those of the system, without `links`. */
export function sortMembers(names: Iterable<string>): MemberNames {
  const all = [...new Set(names)].filter((name) => name !== 'links');
  const own = all.filter((name) => !isSystemMember(name));
  // some lists, as the groups of a user, show nothing else
  if (own.length === 0) return { own: all, system: [] };
  return { own, system: all.filter(isSystemMember) };
}

/** Checks whether a member is one that many resources have. */
export function isSystemMember(name: string): boolean {
  return systemMembers.has(name);
}

/** Returns a member of an object; undefined if it has none of this name. */
export function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns the path of an item, by its links. */
export function selfOf({ links }: JsonObject): string | undefined {
  const self: Json | undefined = isJsonObject(links) ? links.self : undefined;
  return isApiPath(self) ? self : undefined;
}

/** Returns the name of an item, the last segment of its path. */
export function segmentOf(path: string): string {
  const segment = path.split('/').at(-2) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a percent sign that encodes nothing
  }
}
