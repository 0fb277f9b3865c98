import { allRights, recordAt } from '../../../shared/core/family.ts';
import { tokenCode } from '../../../shared/push/rules/device-ids.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import { pushDeviceEntity } from '../../../shared/table/entities/push.ts';
import type { Access, Actor } from '../../../shared/values/access.ts';

/**
 * Returns the user whose devices alone a caller may see and change; undefined: all
 * (docs/reference/push.md#device-permissions).
 */
export function onlyUser(actor: Actor): number | undefined {
  return actor.kind === 'apiKey' && !actor.flags.ignore_acl ? actor.user?.id : undefined;
}

/**
 * Rights to devices: API keys need a user, whose own they are, or a flag (docs/reference/push.md#device-permissions).
 */
export const deviceAccess: Access = {
  owner: allRights,
  full: allRights,
  write: allRights,
  read: 'LG',
  ignoreAcl: allRights,
  allowAnonymousRead: 'LG',
  user: allRights,
};

/** Returns the load of the device that a path names. */
export function deviceOf(provider: PushProvider) {
  return recordAt(pushDeviceEntity, ['instance', '{device}'], (instance, device) =>
    pushDeviceEntity.key(instance, provider, tokenCode(provider, device)),
  );
}
