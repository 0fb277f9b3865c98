import fc from 'fast-check';
import { expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { plantUser, type World } from '../support/api.ts';
import {
  compositeIndexesBuilt,
  plantCompositeIndex,
  requestCompositeIndex,
} from '../support/composite-indexes.ts';
import { worldTest } from '../support/fixtures.ts';
import {
  type Caller,
  compositeIndexQuestion,
  expectedIds,
  type ModelCompositeIndex,
  modelCompositeIndex,
  modelObject,
  modelQuestion,
  modelSchema,
  type Question,
} from '../support/query-model.ts';
import { isSoak } from '../support/sample.ts';

/*
 * Random classes, objects, callers and queries: paging forth and back returns the same as a plain array. Requests
 * are passed to dispatch itself: sockets would take most of the time.
 */

const questionsEach = 20;
const worlds = (isSoak ? 2000 : 100) / questionsEach; // 100 can take a minute on the emulator

const it = worldTest({ settings: { maxClasses: 1000 } }).extend(
  'given',
  { scope: 'file' },
  ({ world }) => setUp(world),
);

it('lists return the same as a plain array, forth and back, for all callers and queries', async ({
  given,
}) => {
  await fc.assert(
    fc.asyncProperty(modelWorld, async (built) => {
      const path = await build(given, built);
      const all = await everything(given, path);
      for (const relative of built.questions) {
        const question = placed(relative, all[0]?.id ?? 1);
        const caller = given.callers[question.caller];
        if (caller === undefined) throw new Error('no such caller');
        const ids = expectedIds(all, caller.rights, question);

        const found = await walk(given, caller.key, toPath(given, path, question));

        expect(found, JSON.stringify(question)).toEqual({
          forth: ids,
          back: ids,
          counts: [ids.length],
        });
      }
      await given.asOwner('DELETE', path.replace('objects/', ''));
    }),
    { numRuns: worlds, endOnFailure: true },
  );
}, 900_000);

async function setUp(world: World) {
  const dispatch = createDispatch(routes, world.api.platform, { renderer: responseTemplates });
  let classes = 0;
  async function call(
    key: Record<string, string>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Body> {
    const [place = '', query] = path.split('?');
    const response = await dispatch({
      id: 'model',
      method,
      path: place,
      headers: key,
      sourceAddress: '127.0.0.1',
      query: new URLSearchParams(query),
      body: { kind: 'json', value: body },
    });
    if (response.status >= 300) {
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    }
    return response.body === undefined ? undefined : JSON.parse(JSON.stringify(response.body));
  }
  return {
    world,
    callers: await makeCallers(world),
    call,
    asOwner: (method: string, path: string, body?: unknown) =>
      call({ 'x-api-key': world.owner }, method, world.base + path, body),
    /** Returns a new name for a class. */
    newName: () => `model${classes++}`,
  };
}

type Given = Awaited<ReturnType<typeof setUp>>;

interface ModelCaller {
  readonly key: Record<string, string>;
  readonly rights: Caller;
}

async function makeCallers(world: World): Promise<readonly ModelCaller[]> {
  const user1 = await plantUser(world, 1, [1]);
  const user2 = await plantUser(world, 2, [1, 2]);
  const user3 = await plantUser(world, 3);
  const bare = await world.apiKey();
  const ignoring = await world.apiKey({ ignore_acl: true });
  const reading = await world.apiKey({ allow_anonymous_read: true });
  const user = (key: string, id: number, groups: readonly number[]): ModelCaller => ({
    key: { 'x-api-key': bare, 'x-user-key': key },
    rights: { kind: 'bound', user: id, groups },
  });
  return [
    { key: { 'x-api-key': world.owner }, rights: { kind: 'bypasses-acl' } },
    { key: { 'x-api-key': ignoring }, rights: { kind: 'bypasses-acl' } },
    { key: { 'x-api-key': reading }, rights: { kind: 'bound', groups: [] } },
    user(user1, 1, [1]),
    user(user2, 2, [1, 2]),
    user(user3, 3, []),
  ];
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Body = any;

type Values = typeof modelObject extends fc.Arbitrary<infer T> ? T : never;

interface ModelWorld {
  /** Fields that have their indexes from the beginning; the others get them when half of the objects exist. */
  readonly early: readonly boolean[];
  readonly objects: readonly Values[];
  readonly updated: readonly number[];
  readonly compositeIndexes: readonly ModelCompositeIndex[];
  readonly questions: readonly Question[];
}

const plainField = { name: 'plain', type: 'text' };

/** Waits until the indexes of a class are built. */
async function ready(given: Given, name: string): Promise<void> {
  while ((await given.asOwner('GET', `classes/${name}/`)).status !== 'ready')
    await given.world.api.platform.idle();
}

/** Requests and builds composite indexes of one kind, or keeps them; has no effect where none is possible. */
async function makeCompositeIndexes(
  given: Given,
  name: string,
  indexes: readonly ModelCompositeIndex[],
  built: ModelCompositeIndex['built'],
) {
  for (const index of indexes.filter((one) => one.built === built)) {
    if (built === 'never') {
      await plantCompositeIndex(given.world, name, { ...index, isFilled: false });
      // a change of the schema that keeps all indexes must not treat it as built
      await given.asOwner('PATCH', `classes/${name}/`, { schema: [...modelSchema, plainField] });
    } else {
      await requestCompositeIndex(given.world, name, index);
      await compositeIndexesBuilt(given.world);
    }
  }
}

/** Creates a class and its objects, its schema changed on the way, and some objects changed last. */
async function build(
  given: Given,
  { early, objects, updated, compositeIndexes }: ModelWorld,
): Promise<string> {
  const name = given.newName();
  const bare = modelSchema.map((field, at) => {
    if (early[at] || field.unique) return field;
    const { filter_index: _, order_index: __, ...definition } = field as Record<string, unknown>;
    return definition;
  });
  await given.asOwner('POST', 'classes/', { name, schema: bare });
  await makeCompositeIndexes(given, name, compositeIndexes, 'early');
  const path = `classes/${name}/objects/`;
  const ids: number[] = [];
  for (const [at, values] of objects.entries()) {
    if (at === Math.floor(objects.length / 2)) {
      await given.asOwner('PATCH', `classes/${name}/`, { schema: modelSchema });
    }
    const back = (steps: number) => ids[at - 1 - steps];
    const made = await given.asOwner('POST', path, {
      ...values,
      key: at % 3 === 0 ? null : String(at),
      other: values.other === null ? null : (back(values.other) ?? null),
      others: values.others.map(back).filter((id) => id !== undefined),
    });
    ids.push(made.id);
  }
  if (objects.length < 2) await given.asOwner('PATCH', `classes/${name}/`, { schema: modelSchema });
  await ready(given, name);
  await makeCompositeIndexes(given, name, compositeIndexes, 'late');
  await makeCompositeIndexes(given, name, compositeIndexes, 'never');
  for (const at of updated) {
    const id = ids[at];
    if (id !== undefined)
      await given.asOwner('PATCH', `${path}${id}/`, { whole: at, text: `b${at}` });
  }
  given.world.api.settle();
  return path;
}

/** Returns all objects as the owner sees them, by no index. */
async function everything(given: Given, path: string): Promise<readonly Body[]> {
  const all: Body[] = [];
  for (let next = given.world.base + path; next !== null; ) {
    const page = await given.call({ 'x-api-key': given.world.owner }, 'GET', next);
    all.push(...page.objects);
    next = page.next;
  }
  return all;
}

/** Ids are relative to the first object of the class, or hardly any would match. */
function placed({ lookups, ...question }: Question, first: number): Question {
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    return typeof value === 'number' ? value + first - 1 : value;
  };
  const move = (field: string, lookup: string, value: unknown): unknown => {
    if (lookup === '_is') {
      return Object.fromEntries(
        Object.entries(value as Record<string, Record<string, unknown>>).map(([inner, one]) => [
          inner,
          Object.fromEntries(Object.entries(one).map(([name, v]) => [name, move(inner, name, v)])),
        ]),
      );
    }
    return ['id', 'other', 'others'].includes(field) ? moved(value) : value;
  };
  return {
    ...question,
    lookups: lookups.map((one) => ({ ...one, value: move(one.field, one.lookup, one.value) })),
  };
}

async function walk(given: Given, key: Record<string, string>, path: string) {
  const pages: Body[] = [];
  for (let next: string | null = path; next !== null; ) {
    const page: Body = await given.call(key, 'GET', next);
    pages.push(page);
    next = page.next;
  }
  const back: Body[] = [];
  for (let prev = pages.at(-1).prev; prev !== null; ) {
    const page = await given.call(key, 'GET', prev);
    back.unshift(page);
    prev = page.prev;
  }
  const idsOf = (list: readonly Body[]) => list.flatMap(({ objects }) => objects.map(toId));
  return {
    forth: idsOf(pages),
    back: idsOf([...back, ...(pages.length > 1 ? pages.slice(-1) : pages)]),
    counts: [...new Set([...pages, ...back].map((page) => page.objects_count))],
  };
}

const toId = ({ id }: { readonly id: number }) => id;

function toPath(given: Given, path: string, { lookups, order, pageSize }: Question): string {
  const parameters = new URLSearchParams({
    page_size: String(pageSize),
    include_count: 'true',
    fields: 'id',
    ...(order !== undefined && { order_by: order }),
  });
  for (const { field, lookup, value } of lookups) {
    parameters.append('query', JSON.stringify({ [field]: { [lookup]: value } }));
  }
  return `${given.world.base}${path}?${parameters}`;
}

const anyWorld = (indexes: readonly ModelCompositeIndex[]): fc.Arbitrary<ModelWorld> =>
  fc.record({
    early: fc.array(fc.boolean(), { minLength: modelSchema.length, maxLength: modelSchema.length }),
    objects: fc.oneof(
      { weight: 8, arbitrary: fc.array(modelObject, { maxLength: 40 }) },
      { weight: 1, arbitrary: fc.array(modelObject, { minLength: 200, maxLength: 260 }) },
    ),
    updated: fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 4 }),
    compositeIndexes: fc.constant(indexes),
    questions: fc.array(
      fc.oneof(
        { weight: 3, arbitrary: modelQuestion(6) },
        ...indexes.map((index) => compositeIndexQuestion(6, index)),
      ),
      { minLength: questionsEach, maxLength: questionsEach },
    ),
  });

const modelWorld = fc.array(modelCompositeIndex, { maxLength: 4 }).chain(anyWorld);
