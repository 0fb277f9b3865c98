import { instanceOf } from '../../core/resource/context-values.ts';
import { readTogether } from '../../store/entity.ts';
import type { Stored } from '../../store/store.ts';
import { apiKeyEntity } from '../../table/entities/instances.ts';
import { userEntity } from '../../table/entities/users.ts';
import type { UserData } from '../../table/records/records.ts';
import type { KeyFlags } from '../../values/access.ts';
import { type ApiError, invalid } from '../../values/errors/errors.ts';
import { ownerOfData } from '../../values/keys/data-ids.ts';
import type { UserContext } from '../show-user.ts';
import type { UserTokenClaims } from '../tokens/user-tokens.ts';

/** The user of a token, and the request as its API key would make it. */
export interface TokenUser {
  /**
   * Acts for the user, with the rights that the API key of the token has now, but under permissions: who has the mail need
   * not have the key.
   */
  readonly context: UserContext;
  /** Absent where the token is of no user yet. */
  readonly user: Stored<UserData> | undefined;
}

/** Returns the error for a token that is not valid, whatever the reason. */
export function wrongToken(): ApiError {
  return invalid({ token: ['Invalid token.'] });
}

/**
 * Reads the user and the API key of a token.
 *
 * @throws ApiError 400 when the key was deleted, or the user was, or has another key or password since
 */
export async function userOfToken(
  context: UserContext,
  claims: UserTokenClaims,
): Promise<TokenUser> {
  const instance = instanceOf(context);
  const { apiKey, user } = await readTogether(context.platform.store, {
    apiKey: apiKeyEntity.at(instance, claims.key),
    user: userEntity.at(instance, claims.user),
  });
  if (apiKey === undefined) throw wrongToken();
  if (claims.user !== 0 && !isCurrent(claims, user?.data)) throw wrongToken();
  const by = user && { id: user.data.id, groups: user.data.groups };
  const flags = underPermissions(apiKey.data);
  const scope = ownerOfData(instance);
  const actor = { kind: 'apiKey', key: apiKey.data.id, instance: scope, flags, user: by } as const;
  return { context: { ...context, apiKey, actor }, user };
}

/** Returns the flags of a key that creates users if the key does, but ignores no permissions. */
function underPermissions(flags: KeyFlags): KeyFlags {
  const allow_user_create = flags.allow_user_create || flags.ignore_acl;
  return { ...flags, allow_user_create, ignore_acl: false };
}

function isCurrent(
  { generation, at }: UserTokenClaims,
  user: UserData | undefined,
): user is UserData {
  return user !== undefined && user.generation === generation && (user.passwordAt ?? 0) < at;
}
