import type { Clock } from '../../../ports/ports.ts';
import { as } from '../../../store/entity.ts';
import type { Key, Stored } from '../../../store/store.ts';
import { accountEntity, memberEntity } from '../../../table/entities/accounts.ts';
import {
  apiKeyEntity,
  instanceEntity,
  instanceNameEntity,
} from '../../../table/entities/instances.ts';
import { scriptEntity } from '../../../table/entities/scripts.ts';
import { sessionEntity } from '../../../table/entities/user-accounts.ts';
import { deletedGroupsEntity, userEntity } from '../../../table/entities/users.ts';
import type {
  AccountData,
  ApiKeyData,
  InstanceData,
  MemberData,
  UserData,
} from '../../../table/records/records.ts';
import type { SessionData } from '../../../table/records/user-accounts.ts';
import type { ActingUser, Actor, AdminRole } from '../../../values/access.ts';
import { accountKeyReset, noSuchKey } from '../../../values/errors/errors.ts';
import {
  isCurrent,
  type RecordClaims,
  type ScriptClaims,
} from '../../../values/keys/credentials.ts';
import { isInstance } from '../../../values/keys/data-ids.ts';
import { isOpenSession } from '../../../values/keys/open-session.ts';
import type { Route } from '../../routing/route.ts';
import { isRegistered } from './aliases.ts';
import type { Caller } from './authentication.ts';

/* The records behind credentials, and who a request acts for. Accounts, API keys, users and scripts have credentials. */

/** Names of the records behind credentials. */
export const callerRecordNames = [
  'account',
  'member',
  'callingScript',
  'apiKey',
  'user',
  'session',
  'deletedGroups',
  'keyInstance',
] as const;
type CallerRecordName = (typeof callerRecordNames)[number];

/** Returns the id of the account that calls, or on whose behalf a script does. */
export function accountOfCaller({ account, script }: Caller): number | undefined {
  return account?.scope ?? script?.owner;
}

/** Returns the id, or data id, of the instance that credentials belong to; those of an account belong to none. */
export function instanceOfCaller({ apiKey, link, script }: Caller): number | undefined {
  return (apiKey ?? link ?? script)?.scope;
}

/** The ids for which keys of these records are made. */
export interface CallerIds {
  readonly account: number | undefined;
  readonly instance: number | undefined;
  /** Whether the path names no instance: its name would prove that the instance of an API key exists. */
  readonly isOutside: boolean;
}

/** Calls `add` with the keys of all records behind the credentials of a request. */
export function addCallerKeys(
  { apiKey, user, script }: Caller,
  { account, instance, isOutside }: CallerIds,
  add: (name: CallerRecordName, key: Key) => void,
): void {
  if (account !== undefined) {
    add('account', accountEntity.key(account));
    if (instance !== undefined) add('member', memberEntity.key(account, instance));
  }
  const dataOf = ({ scope }: { readonly scope: number }) =>
    instance !== undefined && isInstance(scope, instance) ? instance : scope;
  if (script !== undefined) add('callingScript', scriptEntity.key(script.scope, script.script));
  if (apiKey === undefined) return;
  add('apiKey', apiKeyEntity.key(apiKey.scope, apiKey.record));
  if (user !== undefined) {
    add('user', userEntity.key(dataOf(user), user.record));
    add('deletedGroups', deletedGroupsEntity.key(dataOf(user)));
    if (user.session !== undefined) {
      add('session', sessionEntity.key(dataOf(user), user.record, user.session));
    }
  }
  if (isOutside) add('keyInstance', instanceEntity.key(apiKey.scope));
}

/** Caller of a request, as far as its context shows it. */
export interface SettledCaller {
  readonly actor: Actor;
  readonly account: Stored<AccountData> | undefined;
  readonly member: Stored<MemberData> | undefined;
  readonly apiKey: Stored<ApiKeyData> | undefined;
  readonly user: Stored<UserData> | undefined;
  /** Session of the user, where the request has the key of one. */
  readonly session: Stored<SessionData> | undefined;
  readonly keyInstance: Stored<InstanceData> | undefined;
}

/** The parts of a request that determine its actor. */
export interface CallerCase {
  readonly caller: Caller;
  readonly route: Pick<Route, 'instance'>;
  /** Data id of the instance of the path. */
  readonly instance: number | undefined;
  /** Returns a record by its name. */
  readonly record: (name: CallerRecordName | 'instanceName') => Stored | undefined;
  readonly clock: Pick<Clock, 'micros'>;
}

/**
 * Determines the actor of a request.
 *
 * @throws ApiError 403 when a key's record is deleted or has another generation
 */
export function actorOfRecords(of: CallerCase): SettledCaller {
  const { record } = of;
  const account = as(accountEntity, record('account'));
  const member = as(memberEntity, record('member'));
  const apiKey = as(apiKeyEntity, record('apiKey'));
  const { user, session } = userOf(of);
  const keyInstance = as(instanceEntity, record('keyInstance'));
  const actor = actorOf(of, { account, member, apiKey, user, session, keyInstance });
  return { actor, account, member, apiKey, user, session, keyInstance };
}

const noUser = { user: undefined, session: undefined };

/**
 * Returns the user, and the session whose key the request has. An outdated user key, and that of a session that has ended,
 * is ignored: the request has no user (docs/reference/requests.md#keys).
 */
function userOf({
  caller: { user: claims },
  record,
  clock,
}: CallerCase): Pick<SettledCaller, 'user' | 'session'> {
  const user = as(userEntity, record('user'));
  if (claims === undefined || user === undefined) return noUser;
  if (claims.session === undefined) {
    return isCurrent(claims, user.data) ? { user, session: undefined } : noUser;
  }
  const session = as(sessionEntity, record('session'));
  if (session === undefined || !isCurrent(claims, session.data)) return noUser;
  const isOpen = isOpenSession(session.data, user.data, clock.micros() / 1_000_000);
  return isOpen ? { user, session } : noUser;
}

type Callers = Omit<SettledCaller, 'actor'>;

function actorOf(of: CallerCase, callers: Callers): Actor {
  const { account, apiKey, script } = of.caller;
  if (script !== undefined) return scriptActor(script, of, callers);
  if (account !== undefined) return accountActor(account, callers);
  if (apiKey === undefined) return { kind: 'anonymous' };
  // inside an instance its name proves that it exists
  const isLiving = of.route.instance !== 'none' || callers.keyInstance !== undefined;
  const isInside = of.route.instance !== 'place' || isInstance(apiKey.scope, of.instance);
  const record = callers.apiKey;
  if (record === undefined || !isCurrent(apiKey, record.data) || !isLiving || !isInside) {
    throw noSuchKey();
  }
  if (!isRegistered(apiKey, as(instanceNameEntity, of.record('instanceName')))) throw noSuchKey();
  const user = callers.user && actingUser(callers.user, of);
  return { kind: 'apiKey', key: apiKey.record, instance: apiKey.scope, flags: record.data, user };
}

function accountActor(claims: RecordClaims, { account, member }: Callers): Actor {
  if (account === undefined) throw noSuchKey();
  if (!isCurrent(claims, account.data)) throw accountKeyReset();
  return { kind: 'admin', account: claims.scope, role: roleOf(member) };
}

/**
 * Returns the actor of a script: role `full` on behalf of the owner of its instance, only inside that instance, and
 * only while contents, script and owner are those of the run (docs/reference/scripts.md#full-access).
 */
function scriptActor(
  claims: ScriptClaims,
  { route, instance, record }: CallerCase,
  { account, member }: Callers,
): Actor {
  const isInside = route.instance !== 'none' && claims.scope === instance;
  const isOfVersion =
    as(scriptEntity, record('callingScript'))?.data.version === claims.scriptVersion;
  const isOfOwner =
    member?.data.owner === true && account?.data.generation === claims.ownerGeneration;
  if (!isInside || !isOfVersion || !isOfOwner) throw noSuchKey();
  return { kind: 'admin', account: claims.owner, role: 'full', depth: claims.depth };
}

function roleOf(member: Stored<MemberData> | undefined): AdminRole | undefined {
  if (member === undefined) return undefined;
  return member.data.owner ? 'owner' : member.data.role;
}

/** Returns the user with its groups. A deleted group grants nothing, though a record may still name it. */
function actingUser(
  { data: { id, groups } }: Stored<UserData>,
  { record }: CallerCase,
): ActingUser {
  const gone = as(deletedGroupsEntity, record('deletedGroups'))?.data.groups;
  return { id, groups: gone ? groups.filter((group) => !gone.includes(group)) : groups };
}
