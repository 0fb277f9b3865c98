import { as } from '../../store/entity.ts';
import { instanceNameEntity } from '../../table/entities/instances.ts';
import type { Body } from '../http/body/body.ts';
import type { Request } from '../http/message.ts';
import type { Context } from '../routing/route.ts';
import { actorOfRecords } from './caller/caller-records.ts';
import { type LoadedRecords, type LoadRequest, loadedRecord } from './load.ts';

/** The parts of a context. */
export interface ContextParts {
  readonly request: Request;
  readonly routes: Context['routes'];
  readonly load: LoadRequest;
  readonly loaded: LoadedRecords;
  readonly body: () => Promise<Body>;
  readonly openSession: Context['openSession'];
  readonly renew: Context['renew'];
}

/**
 * Combines a request with everything that was read for it, and determines its actor.
 *
 * @throws ApiError 403 when a key's record is deleted or has another generation
 */
export function createContext(parts: ContextParts): Context {
  const { request, routes, load, loaded, body, openSession, renew } = parts;
  const { known, reserved } = loaded;
  const { route, version, params } = load.match;
  const { actor, account, member, apiKey, user, session, keyInstance } = actorOfRecords({
    caller: load.caller,
    route,
    instance: known.instance,
    record: (name) => loadedRecord(loaded, name),
    clock: load.platform.clock,
  });
  // one plain literal: spreads cost more than the rest of a small request's context
  return {
    request,
    route,
    routes,
    version,
    params,
    platform: load.platform,
    caches: load.caches,
    actor,
    account,
    member,
    apiKey,
    user,
    session,
    keyInstance,
    link: load.caller.link,
    instanceId: known.instance,
    reserved,
    loaded: loaded.values,
    rendering: loaded.rendering,
    body,
    openSession,
    renew,
    instanceName: as(instanceNameEntity, loadedRecord(loaded, 'instanceName')),
  };
}
