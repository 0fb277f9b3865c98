import type { Platform } from '../../platform/ports.ts';
import {
  accountEntity,
  apiKeyEntity,
  as,
  classEntity,
  classNumbersEntity,
  dataEndpointEntity,
  deletedGroupsEntity,
  instanceEntity,
  instanceNameEntity,
  memberEntity,
  scriptEndpointEntity,
  scriptEndpointRowEntity,
  scriptEntity,
  templateEntity,
  userEntity,
} from '../../store/entities.ts';
import type { Key, Stored } from '../../store/store.ts';
import { parseParameter } from '../http/path-parameters.ts';
import type { Match } from '../http/router.ts';
import { type Binding, bindingName, type Caches, classNumberName } from '../resource/caches.ts';
import type { Known, Operation } from '../resource/route.ts';
import type { Caller } from './caller/authentication.ts';

/** Records of a request by name, and the first number reserved from the operation's counter. */
export interface Loaded {
  readonly records: Readonly<Record<string, Stored | undefined>>;
  readonly instanceId: number | undefined;
  readonly reserved: number | undefined;
  /** Everything that was read, for sessions. */
  readonly found: ReadonlyMap<string, Found>;
}

/** The parts of a request that determine what is read. */
export interface LoadRequest {
  readonly match: Match;
  readonly operation: Operation | undefined;
  readonly caller: Caller;
  readonly platform: Platform;
  readonly caches: Caches;
  /** Records of caller and place that earlier requests of the session have read; this one adds its own. */
  readonly remembered: Map<string, Found> | undefined;
  /** Name of the template for rendering the response. */
  readonly template: string | undefined;
  /** Numbers to reserve from the operation's counter: one for each request that this is for. */
  readonly count: number;
}

/** A record that was looked up; undefined: it does not exist. */
export interface Found {
  readonly key: Key;
  readonly item: Stored | undefined;
}

type Wanted = Readonly<Record<string, Key | undefined>>;

/**
 * Reads everything that the checks of a request need: the instance's name, the credentials' records, the class and the
 * records of the route, in as few steps as names allow. Ids come from caches first; the same step reads the records
 * that prove them, and a wrong or missing entry costs another step. The counter is incremented in parallel.
 */
export async function load(request: LoadRequest): Promise<Loaded> {
  const state: State = { found: new Map(request.remembered ?? []), taken: undefined };
  for (let isFirst = true; ; isFirst = false) {
    const known = learn(request, state.found);
    const wanted = wantedRecords(request, known, isFirst);
    const missing = Object.entries(wanted).flatMap(([name, key]) =>
      key === undefined || isAt(state.found.get(name), key) ? [] : [{ name, key }],
    );
    const counter = wantedCounter(request, known, state);
    if (missing.length === 0 && counter === undefined) {
      remember(request, known, state.found);
      return toLoaded(wanted, known, state);
    }
    await step(request, state, missing, counter);
  }
}

interface State {
  readonly found: Map<string, Found>;
  /** The reserved number and its counter: a wrong cache entry leaves a gap in another one. */
  taken: { readonly counter: Key; readonly number: number } | undefined;
}

function wantedCounter(
  { caller: { account, apiKey, link, script }, operation }: LoadRequest,
  known: Known,
  { taken }: State,
): Key | undefined {
  const scope = (apiKey ?? link ?? script)?.scope;
  // without a genuine key, or with one of another instance, the request is rejected: no number is spent on it
  const isOfPlace = account !== undefined || (scope !== undefined && scope === known.instance);
  const counter = isOfPlace ? operation?.counter?.(known) : undefined;
  return counter === undefined || isSame(taken?.counter, counter) ? undefined : counter;
}

async function step(
  { platform: { store }, count }: LoadRequest,
  state: State,
  missing: readonly { readonly name: string; readonly key: Key }[],
  counter: Key | undefined,
): Promise<void> {
  const [items, number] = await Promise.all([
    missing.length === 0 ? [] : store.get(missing.map(({ key }) => key)),
    counter === undefined ? undefined : store.next(counter, count),
  ]);
  for (const [at, { name, key }] of missing.entries()) {
    state.found.set(name, { key, item: items[at] });
  }
  if (counter !== undefined && number !== undefined) state.taken = { counter, number };
}

function toLoaded(wanted: Wanted, { instance }: Known, { found, taken }: State): Loaded {
  const records: Record<string, Stored | undefined> = {};
  for (const [name, key] of Object.entries(wanted)) {
    // a record read at the place of a wrong cache entry is not for this request
    records[name] = key === undefined ? undefined : found.get(name)?.item;
  }
  return { records, instanceId: instance, reserved: taken?.number, found };
}

const shared = [
  'instanceName',
  'account',
  'member',
  'apiKey',
  'user',
  'deletedGroups',
  'instanceOfKey',
  'callingScript',
  'class',
];

/** Returns the records of caller and place that one request has read. For later requests of the same caller. */
export function recordsToShare(found: ReadonlyMap<string, Found>): Map<string, Found> {
  return new Map([...found].filter(([name]) => shared.includes(name)));
}

function isAt(found: Found | undefined, key: Key): boolean {
  return isSame(found?.key, key);
}

function isSame(a: Key | undefined, b: Key): boolean {
  return a !== undefined && a.pk === b.pk && a.sk === b.sk;
}

/** Collects the ids: proved ones where known, else cached ones. */
function learn(request: LoadRequest, found: ReadonlyMap<string, Found>): Known {
  const { match } = request;
  const { params, version } = match;
  const { account: accountKey, link, script } = request.caller;
  const instance = instanceId(request, found);
  const binding = bindingAt(request, found, match.route.boundBy?.({ instance, params, link }));
  const className = match.route.boundBy === undefined ? params.class : binding?.className;
  const classNumber = classNumberOf(request, found, { instance, className });
  const account = accountKey?.scope ?? script?.owner;
  return { params, version, account, instance, link, binding, className, classNumber };
}

function instanceId(
  { match, caller, caches }: LoadRequest,
  found: ReadonlyMap<string, Found>,
): number | undefined {
  const name = match.params.instance;
  const ofKey = (caller.apiKey ?? caller.link ?? caller.script)?.scope;
  if (match.route.instance === 'none') return ofKey;
  if (name === undefined) return undefined;
  const record = found.get('instanceName');
  if (record !== undefined) return as(instanceNameEntity, record.item)?.data.instance;
  return caches.instances.get(name) ?? ofKey;
}

/** Returns the binding of the record that the request came by; a cached one until it is read. */
function bindingAt(
  { caches }: LoadRequest,
  found: ReadonlyMap<string, Found>,
  key: Key | undefined,
): Binding | undefined {
  if (key === undefined) return undefined;
  const record = found.get('binding');
  return isAt(record, key) ? bindingOf(record?.item) : caches.bindings.get(bindingName(key));
}

function bindingOf(item: Stored | undefined): Binding | undefined {
  switch (item?.kind) {
    case dataEndpointEntity.kind:
      return { className: as(dataEndpointEntity, item).data.class };
    case scriptEndpointEntity.kind:
      return { script: as(scriptEndpointEntity, item).data.script };
    case scriptEndpointRowEntity.kind: {
      const { name, script } = as(scriptEndpointRowEntity, item).data;
      return { endpoint: name, script };
    }
    default:
      return undefined;
  }
}

function classNumberOf(
  { caches }: LoadRequest,
  found: ReadonlyMap<string, Found>,
  { instance, className: name }: Pick<Known, 'instance' | 'className'>,
): number | undefined {
  if (instance === undefined || name === undefined) return undefined;
  const record = found.get('class');
  if (isAt(record, classEntity.key(instance, name))) {
    return as(classEntity, record?.item)?.data.number;
  }
  const listed = listedNumbers(found);
  return Object.hasOwn(listed, name)
    ? listed[name]
    : caches.classes.get(classNumberName(instance, name));
}

/** Returns the numbers of the instance's classes by name, when they were read. */
function listedNumbers(found: ReadonlyMap<string, Found>): Readonly<Record<string, number>> {
  return as(classNumbersEntity, found.get('classNumbers')?.item)?.data.numbers ?? {};
}

function wantedRecords(request: LoadRequest, known: Known, isFirst: boolean): Wanted {
  const { match, caller } = request;
  const { route, params } = match;
  return {
    instanceName:
      params.instance === undefined ? undefined : instanceNameEntity.key(params.instance),
    ...accountRecords(known),
    callingScript: caller.script && scriptEntity.key(caller.script.scope, caller.script.script),
    ...apiKeyRecords(caller, route.instance === 'none'),
    binding: route.boundBy?.(known),
    class:
      route.inClass && known.instance !== undefined && known.className !== undefined
        ? classEntity.key(known.instance, known.className)
        : undefined,
    // a process without a cache entry reads the numbers of all classes at once: references lead to others
    classNumbers:
      isFirst && route.inClass && known.classNumber === undefined && params.instance !== undefined
        ? classNumbersEntity.key(params.instance)
        : undefined,
    template: request.template === undefined ? undefined : templateKey(known, request.template),
    ...request.operation?.reads?.(known),
  };
}

/** Returns the key of a template named by a client; undefined for text that is no valid name. */
function templateKey({ instance }: Known, name: string): Key | undefined {
  const { template } = parseParameter('template', name);
  return instance === undefined || template === undefined
    ? undefined
    : templateEntity.key(instance, template);
}

function accountRecords({ account, instance }: Known): Wanted {
  if (account === undefined) return {};
  return {
    account: accountEntity.key(account),
    member: instance === undefined ? undefined : memberEntity.key(account, instance),
  };
}

function apiKeyRecords({ apiKey, user }: Caller, isOutside: boolean): Wanted {
  if (apiKey === undefined) return {};
  return {
    apiKey: apiKeyEntity.key(apiKey.scope, apiKey.record),
    user: user === undefined ? undefined : userEntity.key(user.scope, user.record),
    deletedGroups: user === undefined ? undefined : deletedGroupsEntity.key(user.scope),
    // inside an instance its name proves that it exists
    instanceOfKey: isOutside ? instanceEntity.key(apiKey.scope) : undefined,
  };
}

function remember(
  { match, caches, remembered }: LoadRequest,
  known: Known,
  found: ReadonlyMap<string, Found>,
): void {
  if (remembered !== undefined) {
    for (const [name, record] of recordsToShare(found)) remembered.set(name, record);
  }
  const { params, route } = match;
  if (params.instance === undefined) return;
  caches.instances.set(params.instance, known.instance);
  const binding = route.boundBy?.(known);
  if (binding !== undefined) caches.bindings.set(bindingName(binding), known.binding);
  if (known.instance === undefined || !route.inClass || known.className === undefined) return;
  for (const [name, number] of Object.entries(listedNumbers(found))) {
    caches.classes.set(classNumberName(known.instance, name), number);
  }
  caches.classes.set(classNumberName(known.instance, known.className), known.classNumber);
}
