import {
  accountEntity,
  apiKeyEntity,
  as,
  classEntity,
  dataEndpointEntity,
  deletedGroupsEntity,
  instanceNameEntity,
  memberEntity,
  scriptEntity,
  templateEntity,
  userEntity,
} from '../../store/entities.ts';
import type {
  ApiKeyData,
  ClassData,
  MemberData,
  TemplateData,
  UserData,
} from '../../store/records/records.ts';
import type { Stored } from '../../store/store.ts';
import type { ActingUser, Actor, AdminRole } from '../../values/access.ts';
import { noSuchKey } from '../../values/errors/errors.ts';
import type { Request } from '../http/message.ts';
import type { Body } from '../resource/input.ts';
import type { Context } from '../resource/route.ts';
import { isCurrent, type RecordClaims, type ScriptClaims } from './caller/credentials.ts';
import type { Loaded, LoadRequest } from './load.ts';
import { storedTemplate } from './response-templates.ts';

/** The parts of a context. */
export interface ContextParts {
  readonly request: Request;
  readonly routes: Context['routes'];
  readonly load: LoadRequest;
  readonly loaded: Loaded;
  readonly body: () => Promise<Body>;
  readonly openSession: Context['openSession'];
}

/**
 * Combines a request with everything that was read for it, and determines its actor.
 *
 * @throws ApiError 403 when a key's record is deleted or has another generation
 */
export function createContext(parts: ContextParts): Context {
  const { request, routes, load, loaded, body, openSession } = parts;
  const { records, instanceId, reserved } = loaded;
  const { route, version, params } = load.match;
  const account = as(accountEntity, records.account);
  const member = as(memberEntity, records.member);
  const apiKey = as(apiKeyEntity, records.apiKey);
  const user = currentUser(load.caller.user, as(userEntity, records.user));
  // one plain literal: spreads cost more than the rest of a small request's context
  return {
    request,
    route,
    routes,
    version,
    params,
    platform: load.platform,
    caches: load.caches,
    actor: settleActor(load, loaded, { account, member, apiKey, user }),
    account,
    member,
    apiKey,
    user,
    link: load.caller.link,
    instanceId,
    reserved,
    records,
    body,
    openSession,
    instanceName: as(instanceNameEntity, records.instanceName),
    class: classOfCall(load, loaded),
    template: templateOf(load, loaded),
  };
}

/** Returns the request's class. A data endpoint is bound to its class: a later one of the same name does not count. */
function classOfCall(
  { match: { route } }: LoadRequest,
  { records }: Loaded,
): Stored<ClassData> | undefined {
  const found = as(classEntity, records.class);
  if (route.boundBy === undefined || !route.inClass) return found;
  const bound = as(dataEndpointEntity, records.binding)?.data.classNumber;
  return found?.data.number === bound ? found : undefined;
}

function templateOf(
  { template: name }: LoadRequest,
  { records, instanceId }: Loaded,
): TemplateData | undefined {
  if (name === undefined || instanceId === undefined) return undefined;
  return storedTemplate(as(templateEntity, records.template), instanceId, name)?.data;
}

/** Returns the user. An outdated user key is ignored: the request has no user (docs/reference/requests.md#keys). */
function currentUser(
  claims: RecordClaims | undefined,
  record: Stored<UserData> | undefined,
): Stored<UserData> | undefined {
  return claims !== undefined && isCurrent(claims, record?.data) ? record : undefined;
}

type Callers = Pick<Context, 'account' | 'member' | 'apiKey' | 'user'>;

function settleActor(load: LoadRequest, loaded: Loaded, callers: Callers): Actor {
  const { account, apiKey, script } = load.caller;
  if (script !== undefined) return scriptActor(script, load, loaded, callers);
  if (account !== undefined) {
    if (!isCurrent(account, callers.account?.data)) throw noSuchKey();
    return { kind: 'admin', account: account.scope, role: roleOf(callers.member) };
  }
  if (apiKey === undefined) return { kind: 'anonymous' };
  if (!isCurrent(apiKey, callers.apiKey?.data) || !isLiving(load, loaded)) throw noSuchKey();
  if (load.match.route.instance === 'place' && loaded.instanceId !== apiKey.scope)
    throw noSuchKey();
  const user = callers.user && actingUser(callers.user, loaded);
  return apiKeyActor(apiKey, callers.apiKey as Stored<ApiKeyData>, user); // it is current
}

/**
 * Returns the actor of a script: role `full` on behalf of the owner of its instance, only inside that instance, and
 * only while script and owner are those of the run (docs/reference/scripts.md#full-access).
 */
function scriptActor(
  claims: ScriptClaims,
  { match }: LoadRequest,
  { instanceId, records }: Loaded,
  { account, member }: Callers,
): Actor {
  const isInside = match.route.instance !== 'none' && instanceId === claims.scope;
  const isOfVersion =
    as(scriptEntity, records.callingScript)?.data.version === claims.scriptVersion;
  const isOfOwner =
    member?.data.owner === true && account?.data.generation === claims.ownerGeneration;
  if (!isInside || !isOfVersion || !isOfOwner) throw noSuchKey();
  return { kind: 'admin', account: claims.owner, role: 'full', depth: claims.depth };
}

/** Checks whether the instance of an API key still exists; inside an instance its name proves it. */
function isLiving(load: LoadRequest, { records }: Loaded): boolean {
  return load.match.route.instance !== 'none' || records.instanceOfKey !== undefined;
}

function roleOf(member: Stored<MemberData> | undefined): AdminRole | undefined {
  if (member === undefined) return undefined;
  return member.data.owner ? 'owner' : member.data.role;
}

function apiKeyActor(
  claims: RecordClaims,
  { data }: Stored<ApiKeyData>,
  user: ActingUser | undefined,
): Actor {
  return {
    kind: 'apiKey',
    key: claims.record,
    instance: claims.scope,
    flags: data,
    user,
  };
}

/** Returns the user with its groups. A deleted group grants nothing, though a record may still name it. */
function actingUser({ data: { id, groups } }: Stored<UserData>, { records }: Loaded): ActingUser {
  const gone = as(deletedGroupsEntity, records.deletedGroups)?.data.groups;
  return { id, groups: gone ? groups.filter((group) => !gone.includes(group)) : groups };
}
