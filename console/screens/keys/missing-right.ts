import { type ClassRights, classPermission } from '../../../shared/classes/rules/permissions.ts';
import type { ActingUser, KeyFlags } from '../../../shared/values/access.ts';

/** Who looks at the objects of a class. */
interface Viewer {
  readonly apiKey: Pick<KeyFlags, 'ignore_acl' | 'allow_anonymous_read'>;
  /** Undefined: the API key alone. */
  readonly user: ActingUser | undefined;
}

/**
 * Says which right a viewer lacks who sees no object of a class (docs/reference/objects.md#permissions).
 *
 * @returns undefined where the class has no objects
 */
export function missingRight(
  { apiKey, user }: Viewer,
  viewed: ClassRights & { readonly objects_count: number },
): string | undefined {
  if (viewed.objects_count === 0 || apiKey.ignore_acl) return undefined;
  const isBlind = user === undefined && !apiKey.allow_anonymous_read;
  const isHidden = classPermission(user, viewed) === 'none';
  const isMember = viewed.group !== null && user?.groups.includes(viewed.group);
  const noAccess = `the class gives ${isMember ? 'its group and ' : ''}everyone no access`;
  if (isBlind) return `The key lacks allow_anonymous_read${isHidden ? `, and ${noAccess}` : ''}.`;
  if (isHidden) return `${noAccess.charAt(0).toUpperCase()}${noAccess.slice(1)}.`;
  return user === undefined
    ? 'No object gives everyone the right to read it.'
    : 'No object gives the user, a group of the user or everyone the right to read it.';
}
