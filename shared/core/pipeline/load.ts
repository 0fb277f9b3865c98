import type { Platform } from '../../ports/ports.ts';
import { as } from '../../store/entity.ts';
import type { Key, Stored } from '../../store/store.ts';
import { dataOfName } from '../../table/data-ids.ts';
import { instanceEntity, instanceNameEntity } from '../../table/entities/instances.ts';
import { isInstance, ownerOfData } from '../../values/keys/data-ids.ts';
import type { Caches } from '../routing/caches.ts';
import type { Known } from '../routing/known.ts';
import type { Load, NamedLoad, NamedLookup } from '../routing/loads.ts';
import type { Rendering } from '../routing/rendering.ts';
import type { Operation } from '../routing/route.ts';
import type { Match } from '../routing/router.ts';
import type { Caller } from './caller/authentication.ts';
import {
  accountOfCaller,
  addCallerKeys,
  callerRecordNames,
  instanceOfCaller,
} from './caller/caller-records.ts';
import { reserveNumbers } from './session/reserve-numbers.ts';

/** Values that were read for a request. */
export interface LoadedRecords {
  /** The ids that were found; the records prove them. */
  readonly known: Known;
  /** The records that the route declares, by the names of their loads, as handlers get them. */
  readonly values: object;
  readonly rendering: Rendering | undefined;
  /** The first number reserved from the operation's counter. */
  readonly reserved: number | undefined;
  /** Keys of all records of the request. */
  readonly wanted: Wanted;
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
  /** Records of caller and path that earlier requests of the session have read; this one adds its own. */
  readonly remembered: Map<string, Found> | undefined;
  /** Loads what the request wants its response rendered with. */
  readonly rendering: Load<Rendering | undefined> | undefined;
  /** Numbers to reserve from the operation's counter: one for each request that this is for. */
  readonly count: number;
}

/** A record that was looked up; undefined: it does not exist. */
export interface Found {
  readonly key: Key;
  readonly item: Stored | undefined;
}

type Wanted = ReadonlyMap<string, Key>;

/**
 * Reads everything that the checks of a request need: the instance's name, the credentials' records, and the records
 * that the route declares, in as few steps as names allow. Ids come from caches first; the same step reads the records
 * that prove them, and a wrong or missing entry costs another step. The counter is incremented in parallel.
 */
export async function loadExchange(request: LoadRequest): Promise<LoadedRecords> {
  const state: State = { found: new Map(request.remembered ?? []), taken: undefined };
  for (let isFirst = true; ; isFirst = false) {
    const { known, wanted } = plan(request, state.found, isFirst);
    const missing = missingOf(wanted, state.found);
    const counter = wantedCounter(request, known, state);
    if (missing.length === 0 && counter === undefined) {
      remember(request, known, { wanted, found: state.found });
      return toLoaded(request, { known, wanted }, state);
    }
    await step(request, state, missing, counter);
  }
}

/**
 * Checks whether the records of a request have not changed since they were read. A store that caches items returns the
 * same objects for them; from other stores each read returns new ones, which count as changed.
 */
export async function isUnchanged(
  { platform: { store } }: LoadRequest,
  { wanted, found }: LoadedRecords,
): Promise<boolean> {
  if (store.isNear !== true) return false;
  const items = await store.get([...wanted.values()]);
  return [...wanted.keys()].every((name, at) => found.get(name)?.item === items[at]);
}

/** Returns a record of a request by its name; undefined when it is absent, or not needed. */
export function loadedRecord(
  { wanted, found }: Pick<LoadedRecords, 'wanted' | 'found'>,
  name: string,
) {
  // a record read at the key of a wrong cache entry is not for this request
  return wanted.has(name) ? found.get(name)?.item : undefined;
}

interface State {
  readonly found: Map<string, Found>;
  /** The reserved number and its counter: a wrong cache entry leaves a gap in another one. */
  taken: { readonly counter: Key; readonly number: number } | undefined;
}

interface Missing {
  readonly name: string;
  readonly key: Key;
}

function missingOf(wanted: Wanted, found: ReadonlyMap<string, Found>): readonly Missing[] {
  const missing: Missing[] = [];
  for (const [name, key] of wanted) {
    if (!isAt(found.get(name), key)) missing.push({ name, key });
  }
  return missing;
}

function wantedCounter(
  { caller, operation }: LoadRequest,
  known: Known,
  { taken }: State,
): Key | undefined {
  const scope = instanceOfCaller(caller);
  // without a genuine key, or with one of another instance, the request is rejected: no number is spent on it
  const isOfScope =
    caller.account !== undefined ||
    (scope !== undefined && isInstance(ownerOfData(scope), known.instance));
  const counter = isOfScope ? operation?.counter?.(known) : undefined;
  return counter === undefined || isSame(taken?.counter, counter) ? undefined : counter;
}

async function step(
  { platform: { store }, count }: LoadRequest,
  state: State,
  missing: readonly Missing[],
  counter: Key | undefined,
): Promise<void> {
  const [items, number] = await Promise.all([
    missing.length === 0 ? [] : store.get(missing.map(({ key }) => key)),
    counter === undefined ? undefined : reserveNumbers(store, counter, count),
  ]);
  for (const [at, { name, key }] of missing.entries()) {
    state.found.set(name, { key, item: items[at] });
  }
  if (counter !== undefined && number !== undefined) state.taken = { counter, number };
}

function toLoaded(
  { match: { route }, operation, rendering }: LoadRequest,
  { known, wanted }: Pick<LoadedRecords, 'known' | 'wanted'>,
  { found, taken }: State,
): LoadedRecords {
  const read = { wanted, found };
  const values: Record<string, unknown> = {};
  const take = ({ name, slot, load }: NamedLoad) => {
    values[name] = load.take(loadedRecord(read, slot), known);
  };
  route.lookups.forEach(take);
  operation?.loads?.forEach(take);
  return {
    known,
    values,
    rendering: rendering?.take(loadedRecord(read, 'rendering'), known),
    reserved: taken?.number,
    wanted,
    found,
  };
}

const sharedNames: ReadonlySet<string> = new Set(['instanceName', ...callerRecordNames]);

/** Returns the records of caller and path that one request has read. For later requests of the same caller. */
export function recordsToShare(
  { match: { route } }: Pick<LoadRequest, 'match'>,
  found: ReadonlyMap<string, Found>,
): Map<string, Found> {
  const ofPath = new Set(route.lookups.map(({ slot }) => slot));
  return new Map([...found].filter(([name]) => sharedNames.has(name) || ofPath.has(name)));
}

function isAt(found: Found | undefined, key: Key): boolean {
  return isSame(found?.key, key);
}

function isSame(a: Key | undefined, b: Key): boolean {
  return a !== undefined && a.pk === b.pk && a.sk === b.sk;
}

/** Collects the ids, proved ones where known, else cached ones, and the keys of all records that they lead to. */
function plan(
  request: LoadRequest,
  found: ReadonlyMap<string, Found>,
  isFirst: boolean,
): Pick<LoadedRecords, 'known' | 'wanted'> {
  const { match, caller, operation, rendering } = request;
  const { params, route } = match;
  const wanted = new Map<string, Key>();
  const want = (name: string, key: Key | undefined) => {
    if (key !== undefined) wanted.set(name, key);
  };
  const given = new Map<object, unknown>();
  const instance = instanceId(request, found);
  const account = accountOfCaller(caller);
  const known = { params, account, instance, link: caller.link, given };
  if (params.instance !== undefined) want('instanceName', instanceNameEntity.key(params.instance));
  addCallerKeys(caller, { account, instance, isOutside: route.instance === 'none' }, want);
  for (const { slot, listedSlot, load } of route.lookups) {
    const key = load.key(known);
    want(slot, key);
    const value = givenBy(request, found, { load, slot, listedSlot, key, known });
    if (value !== undefined) given.set(load.gives, value);
    else if (isFirst) want(listedSlot, load.gives.listed?.key(known));
  }
  for (const { slot, load } of operation?.loads ?? noLoads) want(slot, load.key(known));
  want('rendering', rendering?.key(known));
  return { known, wanted };
}

const noLoads: readonly NamedLoad[] = [];

function instanceId(
  { match, caller, caches }: LoadRequest,
  found: ReadonlyMap<string, Found>,
): number | undefined {
  const name = match.params.instance;
  const ofKey = instanceOfCaller(caller);
  if (match.route.instance === 'none') {
    return as(instanceEntity, found.get('keyInstance')?.item)?.data.data ?? ofKey;
  }
  if (name === undefined) return undefined;
  const record = found.get('instanceName');
  if (record !== undefined) return dataOfName(as(instanceNameEntity, record.item)?.data);
  return caches.instances.get(name) ?? ofKey;
}

interface Asked extends Omit<NamedLookup, 'name'> {
  readonly key: Key | undefined;
  readonly known: Known;
}

/** Returns the value that a lookup gives; a cached one until its record is read. */
function givenBy(
  { caches }: LoadRequest,
  found: ReadonlyMap<string, Found>,
  { load: { gives }, slot, listedSlot, key, known }: Asked,
): unknown {
  if (key === undefined) return undefined;
  const cache = gives.cache(caches);
  const list = found.get(listedSlot)?.item;
  for (const [of, value] of (list && gives.listed?.entries(list, known)) ?? []) {
    cache.set(of, value);
  }
  const record = found.get(slot);
  return isAt(record, key) ? record?.item && gives.value(record.item) : cache.get(key);
}

function remember(
  request: LoadRequest,
  { given, instance }: Known,
  { wanted, found }: Pick<LoadedRecords, 'wanted' | 'found'>,
): void {
  const { match, caches, remembered } = request;
  const { params, route } = match;
  if (remembered !== undefined) {
    for (const [name, record] of recordsToShare(request, found)) remembered.set(name, record);
  }
  if (params.instance === undefined) return;
  caches.instances.set(params.instance, instance);
  for (const { slot, load } of route.lookups) {
    const key = wanted.get(slot);
    if (key !== undefined) load.gives.cache(caches).set(key, given.get(load.gives));
  }
}
