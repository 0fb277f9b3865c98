import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ConditionFailed,
  type IndexKeys,
  type IndexName,
  type Query,
  type Store,
  type Write,
  type WriteCondition,
} from '../../shared/store/store.ts';
import { byBytes, change, check, del, newId, put } from './fixture.ts';

/** Dependencies of the model test on its suite. */
export interface ModelContext {
  readonly store: () => Store;
  readonly newPk: () => string;
  readonly settle: () => Promise<void>;
  /** Number of sequences that are tried. */
  readonly sequences: number;
}

interface ModelItem {
  readonly version: string;
  readonly data: object;
  readonly indexes: IndexKeys;
}

/** The store as a plain map, by sort key. */
type Model = Map<string, ModelItem>;

/** A write before its partition and the versions are known. */
interface Step {
  readonly action: Write['action'];
  readonly sk: string;
  readonly data: object;
  readonly values: Readonly<Partial<Record<IndexName, string | undefined>>>;
  readonly condition: WriteCondition['kind'];
  /** Whether a condition on the version names the current one. */
  readonly knows: boolean;
}

const indexes = ['slot0', 'slot9', 'owned'] as const;
const names = ['a', 'aa', 'ab', 'b', 'é', '\uffff', '😀', '\u0001'];
const values = ['', 'a', 'a\u0000', 'a\u0001', 'aa', '\uffff', '😀'];

const name = fc.constantFrom(...names);
const value = fc.option(fc.constantFrom(...values), { nil: undefined });

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom('put', 'put', 'put', 'delete', 'check'),
  sk: name,
  data: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  values: fc.record({ slot0: value, slot9: value, owned: value }),
  condition: fc.constantFrom('none', 'none', 'none', 'absent', 'present', 'version'),
  knows: fc.boolean(),
});

const steps = fc.uniqueArray(step, { selector: ({ sk }) => sk, minLength: 1, maxLength: 5 });

const bound = fc.option(
  fc.record({
    key: fc.tuple(fc.constantFrom(...values), name).map(([start, end]) => start + end),
    inclusive: fc.boolean(),
  }),
  { nil: undefined },
);

const queryShape = fc.record({
  index: fc.constantFrom(undefined, ...indexes),
  bounds: fc.tuple(bound, bound),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 9 }),
});

/** Registers the test that any sequence of writes and queries has the results of a plain map. */
export function describeModel({ store, newPk, settle, sequences }: ModelContext): void {
  describe('any sequence of writes', () => {
    it('leaves the content of a plain map, in every order and range', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(steps, { minLength: 1, maxLength: 12 }),
          fc.array(queryShape, { minLength: 1, maxLength: 8 }),
          async (transactions, queries) => {
            const pk = newPk();
            const model: Model = new Map();
            for (const transaction of transactions) {
              await applyBoth(store(), { pk, model, transaction });
            }
            await settle();
            const items = await store().get(names.map((sk) => ({ pk, sk })));
            expect(items.map(summary)).toEqual(names.map((sk) => summary(model.get(sk))));
            for (const shape of queries) await compareQuery(store(), { pk, model, shape });
          },
        ),
        { numRuns: sequences },
      );
    });
  });
}

interface Both {
  readonly pk: string;
  readonly model: Model;
  readonly transaction: readonly Step[];
}

/** Writes to the store and to the model; both must agree on the first condition that fails. */
async function applyBoth(store: Store, { pk, model, transaction }: Both): Promise<void> {
  const id = newId();
  const writes = transaction.map((made) => toWrite(pk, model, made));
  const failing = writes.findIndex(({ key, condition }) => !holds(condition, model.get(key.sk)));
  const failed = await store.write({ id, change, writes }).then(
    () => -1,
    (error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error;
      return error.index;
    },
  );
  expect(failed).toBe(failing);
  if (failing !== -1) return;
  for (const made of writes) {
    if (made.action === 'delete') model.delete(made.key.sk);
    if (made.action !== 'put') continue;
    model.set(made.key.sk, { version: id, data: made.data, indexes: made.indexes ?? {} });
  }
}

function toWrite(pk: string, model: Model, made: Step): Write {
  const key = { pk, sk: made.sk };
  const condition: WriteCondition =
    made.condition === 'version'
      ? { kind: 'version', version: (made.knows && model.get(made.sk)?.version) || 'another' }
      : { kind: made.condition };
  switch (made.action) {
    case 'put': {
      const keys = indexes.flatMap((index) => {
        const start = made.values[index];
        return start === undefined ? [] : [[index, `${start}\u0000${made.sk}`] as const];
      });
      return put(key, { data: made.data, indexes: Object.fromEntries(keys), condition });
    }
    case 'delete':
      return del(key, condition);
    case 'check':
      return check(key, condition);
  }
}

function holds(condition: WriteCondition, item: ModelItem | undefined): boolean {
  switch (condition.kind) {
    case 'none':
      return true;
    case 'absent':
      return item === undefined;
    case 'present':
      return item !== undefined;
    case 'version':
      return item?.version === condition.version;
  }
}

function summary(item: Pick<ModelItem, 'version' | 'data'> | undefined): unknown {
  return item && { version: item.version, data: item.data };
}

type QueryShape = typeof queryShape extends fc.Arbitrary<infer Shape> ? Shape : never;

interface Compared {
  readonly pk: string;
  readonly model: Model;
  readonly shape: QueryShape;
}

async function compareQuery(store: Store, { pk, model, shape }: Compared): Promise<void> {
  const [lower, upper] = [...shape.bounds].sort((a, b) => (a && b ? byBytes(a.key, b.key) : 0));
  const query: Query = {
    pk,
    descending: shape.descending,
    limit: shape.limit,
    ...(shape.index && { index: shape.index }),
    ...(lower && { lower }),
    ...(upper && { upper }),
  };

  const page = await store.query(query);

  const all = queryModel(model, query);
  const expected = all.slice(0, query.limit);
  expect(page.positions).toEqual(expected.map(({ position }) => position));
  expect(page.items.map(summary)).toEqual(expected.map(({ item }) => summary(item)));
  if (all.length > query.limit) expect(page.more).toBe(true);
}

function queryModel(model: Model, { index, lower, upper, descending }: Query) {
  const found = [...model]
    .flatMap(([sk, item]) => {
      const position = index === undefined ? sk : item.indexes[index];
      return position === undefined ? [] : [{ position, item }];
    })
    .filter(({ position }) => {
      const above = lower === undefined ? 1 : byBytes(position, lower.key);
      const below = upper === undefined ? 1 : byBytes(upper.key, position);
      return (
        (above > 0 || (above === 0 && lower?.inclusive)) &&
        (below > 0 || (below === 0 && upper?.inclusive))
      );
    })
    .sort((a, b) => byBytes(a.position, b.position));
  return descending ? found.reverse() : found;
}
