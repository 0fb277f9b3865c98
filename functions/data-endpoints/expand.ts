import type { ClassContext } from '../../shared/classes/class-record.ts';
import type { CompiledClass, CompiledField } from '../../shared/classes/rules/compiled-class.ts';
import {
  bypassesAcl,
  checkClassRights,
  objectPermission,
  profileClass,
} from '../../shared/classes/rules/permissions.ts';
import { type Context, instanceOf } from '../../shared/core/family.ts';
import {
  type BodyMembers,
  type ItemBody,
  joinedBody,
  writeBody,
} from '../../shared/core/http/response-cache.ts';
import { withAddresses } from '../../shared/objects/files/private-files.ts';
import { objectBodies, objectListPath } from '../../shared/objects/show-object.ts';
import { openTurns } from '../../shared/ports/limits/time-slices.ts';
import { queriedObject } from '../../shared/search/queried.ts';
import { type ItemReference, readTogether } from '../../shared/store/entity.ts';
import type { Stored } from '../../shared/store/store.ts';
import { classEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { ClassData, ObjectData, UserData } from '../../shared/table/records/records.ts';
import { type UserContext, viewUsers, wholeUser } from '../../shared/users/show-user.ts';
import { userAccess } from '../../shared/users/user-access.ts';
import { denialOf, isAllowed } from '../../shared/values/access.ts';
import { forbidden } from '../../shared/values/errors/errors.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

// docs/reference/data-endpoints.md#expand
const maxEmbedded = 1000; // of a page and a field; every embedding counts
const maxEmbeddedLength = 4_194_304; // of a page: characters of JSON
const partSize = 200; // targets read in one step: at most 6.5 MB

/** A field whose values are replaced by the objects that they refer to. */
interface Target {
  readonly field: CompiledField;
  readonly kind: 'objects' | 'users';
  /** The class of the objects, or that of the users' profiles. */
  readonly classRecord: Stored<ClassData>;
}

/** An object of the page and its response, which is replaced by one with embedded objects. */
export interface ExpandedObject {
  readonly item: Stored<ObjectData>;
  shown: ItemBody;
}

/** Returns the reference fields that `expand` names; other names are ignored. */
export function expandedFields(
  { fields }: CompiledClass,
  expand: string | undefined,
): readonly CompiledField[] {
  if (expand === undefined) return [];
  const names = new Set(expand.split(','));
  return fields.filter(({ name, definition }) => names.has(name) && definition.target);
}

/** Reads, in one step, the classes that fields refer to; a field whose class was deleted is left out. */
export async function readTargets(
  context: ClassContext,
  fields: readonly CompiledField[],
): Promise<readonly Target[]> {
  const own = context.loaded.class;
  const classes = new Map<string, Stored<ClassData> | undefined>([['self', own]]);
  const named = fields.map((field) => ({ field, name: targetClass(field) }));
  const missing = [...new Set(named.map(({ name }) => name))].filter((name) => !classes.has(name));
  if (missing.length > 0) {
    const instance = instanceOf(context);
    const items = await classEntity.readAll(
      context.platform.store,
      missing.map((name) => [instance, name]),
    );
    for (const [at, name] of missing.entries()) classes.set(name, items[at]);
  }
  return named.flatMap(({ field, name }) => {
    const classRecord = classes.get(name);
    return classRecord === undefined ? [] : [{ field, kind: kindOf(field), classRecord }];
  });
}

function targetName({ definition: { target = '' } }: CompiledField): string {
  return target.toLowerCase();
}

function kindOf(field: CompiledField): Target['kind'] {
  return targetName(field) === 'user' ? 'users' : 'objects';
}

function targetClass(field: CompiledField): string {
  return kindOf(field) === 'users' ? profileClass : targetName(field);
}

/**
 * Replaces references and relations by their targets, one level deep, as far as the caller may read them. A missing or
 * hidden target stays as it is in a reference, and is left out of a relation. One step for up to 200 targets; users
 * take a second one for profiles and groups. From the first value on that does not fit into the response any more, all
 * stay as they are.
 *
 * @throws ApiError 403 when the caller may not list the targets
 */
export async function expandObjects(
  context: Context,
  targets: readonly Target[],
  expandedObjects: readonly ExpandedObject[],
): Promise<void> {
  const wanted = targets
    .map((target) => ({ target, values: valuesOf(target.field, expandedObjects) }))
    .filter(({ values }) => values.length > 0);
  for (const { target } of wanted) checkRights(context, target);
  const references = wanted.flatMap(({ target, values }) =>
    [...new Set(values.flatMap(({ ids }) => ids))].map((id): TargetReference => ({ target, id })),
  );
  const found = await findTargets(context, references);
  const embedded = new Map<ExpandedObject, BodyMembers>();
  let left = maxEmbeddedLength;
  const all = wanted.flatMap(({ target, values }) => values.map((value) => ({ target, value })));
  for (const { target, value } of all) {
    const bodies = value.ids.map((id) => found.get(target)?.get(id));
    if (bodies.includes(undefined)) break; // not read
    const there = bodies.filter((body) => body !== null && body !== undefined);
    left -= there.reduce((sum, body) => sum + writeBody(body).length, 0);
    if (left < 0) break;
    const shown = target.field.type === 'relation' ? there : there[0];
    if (shown === undefined) continue;
    const members = embedded.get(value.expanded) ?? {};
    embedded.set(value.expanded, { ...members, [target.field.name]: shown });
  }
  for (const [expanded, members] of embedded) {
    expanded.shown = joinedBody(expanded.shown, members);
  }
}

/** A value that refers to something. */
interface Value {
  readonly expanded: ExpandedObject;
  readonly ids: readonly number[];
}

/** Returns the values of a field that can be embedded: those before the limit. */
function valuesOf(
  { storage }: CompiledField,
  expandedObjects: readonly ExpandedObject[],
): readonly Value[] {
  const values: Value[] = [];
  let count = 0;
  for (const expanded of expandedObjects) {
    const value = queriedObject(expanded.item).value(storage);
    if (value === undefined) continue;
    const ids = (Array.isArray(value) ? value : [value]) as readonly number[]; // by the type of the field
    count += ids.length;
    if (count > maxEmbedded) break;
    values.push({ expanded, ids });
  }
  return values;
}

function checkRights({ actor }: Context, { kind, classRecord }: Target): void {
  if (kind === 'objects') checkClassRights(actor, classRecord.data, 'read');
  else if (!isAllowed(userAccess, actor, 'L')) throw forbidden(denialOf(userAccess, actor, ['L']));
}

interface TargetReference {
  readonly target: Target;
  readonly id: number;
}

/** What was read, ready to be sent, by target and id; null: the caller may not read it, or it is gone. */
type FoundTargets = Map<Target, ReadonlyMap<number, ItemBody | null>>;

/** Reads targets in parts, until there are more than a response can have. */
async function findTargets(
  context: Context,
  references: readonly TargetReference[],
): Promise<FoundTargets> {
  const found: FoundTargets = new Map();
  const turns = openTurns(); // the embedded store responds at once
  let length = 0;
  for (let at = 0; at < references.length && length <= maxEmbeddedLength; at += partSize) {
    if (turns.isDue()) await turns.pause();
    length += await readPart(context, references.slice(at, at + partSize), found);
  }
  return found;
}

/** Reads targets in one step, and adds them to those that were found; returns their length. */
async function readPart(
  context: Context,
  part: readonly TargetReference[],
  found: FoundTargets,
): Promise<number> {
  const { items } = await readTogether(context.platform.store, {
    items: part.map(({ target, id }) => targetReference(context, target, id)),
  });
  let length = 0;
  for (const target of new Set(part.map((each) => each.target))) {
    const isOwn = (at: number) => part[at]?.target === target;
    const own = items.filter((_, at) => isOwn(at));
    const shown = await showAll(context, target, own);
    const ids = part
      .filter((_, at) => isOwn(at))
      .map(({ id }) => [id, shown.get(id) ?? null] as const);
    found.set(target, new Map([...(found.get(target) ?? []), ...ids]));
    for (const body of shown.values()) length += writeBody(body).length;
  }
  return length;
}

function targetReference(
  context: Context,
  { kind, classRecord }: Target,
  id: number,
): ItemReference<object> {
  const instance = instanceOf(context);
  return kind === 'users'
    ? userEntity.at(instance, id)
    : objectEntity.at(instance, classRecord.data.number, id);
}

async function showAll(
  context: Context,
  { kind, classRecord }: Target,
  items: readonly (Stored | undefined)[],
): Promise<ReadonlyMap<number, ItemBody>> {
  const there = items.filter((item) => item !== undefined);
  if (kind === 'users') {
    return showUsers(
      context,
      classRecord,
      there.filter(userEntity.matches).map(({ data }) => data),
    );
  }
  const readable = there
    .filter(objectEntity.matches)
    .filter(({ data }) => objectPermission(context.actor, data) !== 'none');
  const shown = objectBodies(context, classRecord, objectListPath(context, classRecord));
  const views = await withAddresses(context, classRecord, readable);
  return new Map(views.map((view) => [view.data.id, shown(view)]));
}

/** Shows users as their own list does: a user sees itself. Only callers that bypass ACL see keys. */
async function showUsers(
  context: Context,
  profiles: Stored<ClassData>,
  users: readonly UserData[],
): Promise<ReadonlyMap<number, JsonObject>> {
  const { user, actor } = context;
  const visible = users.filter(({ id }) => user === undefined || user.data.id === id);
  // without the settings, addresses are not shown: who calls an endpoint is not its author
  const loaded = { profileClass: profiles, userSettings: undefined };
  const within: UserContext = { ...context, loaded };
  const views = await viewUsers(within, visible);
  return new Map(
    views.map((view) => {
      const whole = wholeUser(within, view);
      if (!bypassesAcl(actor)) delete whole.user_key;
      return [view.data.id, whole] as const;
    }),
  );
}
