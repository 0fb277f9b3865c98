import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeEach } from '../../shared/store/commit.ts';
import {
  ConditionFailed,
  CounterEnded,
  ItemTooLarge,
  indexNames,
  type Key,
  type Store,
  type Write,
  type WriteCondition,
} from '../../shared/store/store.ts';
import { plain } from '../support/stored-records.ts';
import {
  byBytes,
  change,
  check,
  del,
  getOne,
  newId,
  put,
  sortKeys,
  walkPages,
  write,
} from './fixture.ts';
import { describeModel } from './model.ts';

/** Settings of the suite for an adapter. */
export interface Conformance {
  /** Opens an empty store, or a shared one: the suite uses new partitions. */
  readonly open: (now: () => number) => Promise<Store>;
  /** Waits until indexes contain all writes; absent: they always do. */
  readonly settle?: () => Promise<void>;
  /** How many generated sequences of writes are compared with a plain map; 150 when absent. */
  readonly sequences?: number;
}

/** Registers the tests that every adapter of the store port must pass. */
export function storeConformance(
  name: string,
  { open, settle = async () => {}, sequences = 150 }: Conformance,
) {
  describe(`${name} as a store`, () => {
    let nowMs = 4_000_000_000_000;
    let store: Store;
    let partitions = 0;
    const run = newId().slice(0, 8);

    /** A partition that no other test uses. */
    function newPk(): string {
      partitions += 1;
      return `TEST#${run}#${partitions}.`; // names derived from it are not among these
    }
    function newKey(): Key {
      return { pk: newPk(), sk: 'item' };
    }

    beforeAll(async () => {
      store = await open(() => nowMs);
    });
    afterAll(() => store.close());

    describe('transactions that are written together', () => {
      const absent: WriteCondition = { kind: 'absent' };

      /** Returns the name of the error of each transaction, or `written`. */
      async function outcomes(...groups: readonly (readonly Write[])[]): Promise<unknown[]> {
        const writing = writeEach(
          store,
          groups.map((writes) => ({ id: newId(), change, writes })),
        );
        const settled = await Promise.allSettled(writing);
        return settled.map((each) =>
          each.status === 'fulfilled' ? 'written' : (each.reason as Error).name,
        );
      }

      it('are applied independently: one that fails concerns no other', async () => {
        const pk = newPk();
        const names = ['taken', 'gone', 'a', 'b', 'large'];
        const [taken, gone, a, b, large] = names.map((sk) => ({ pk, sk }));
        if (!taken || !gone || !a || !b || !large) throw new Error('a key is missing');
        await write(store, put(taken), put(gone));

        const found = await outcomes(
          [put(a, { condition: absent })],
          [put({ pk, sk: 'c' }), put(taken, { condition: absent })],
          [put(large, { data: { text: 'x'.repeat(500_000) } })],
          [put(b, { condition: absent }), del(gone)],
        );

        expect(found).toEqual(['written', 'ConditionFailed', 'ItemTooLarge', 'written']);
        expect(await sortKeys(store, { pk, limit: 9 })).toEqual(['a', 'b', 'taken']);
      });

      it('take a key only once', async () => {
        const key = newKey();
        const create = [put(key, { condition: absent })];

        const found = await outcomes(create, create, create);

        expect(found.sort()).toEqual(['ConditionFailed', 'ConditionFailed', 'written']);
      });

      it('report the write that failed, with the existing item', async () => {
        const pk = newPk();
        const taken = { pk, sk: 'taken' };
        await write(store, put(taken, { data: { by: 1 } }));
        const writes = [put({ pk, sk: 'new' }), put(taken, { condition: absent })];

        const [writing] = writeEach(store, [{ id: newId(), change, writes }]);
        const error = await writing?.catch((each: unknown) => each);

        expect(error).toMatchObject({ index: 1, existing: { data: { by: 1 } } });
      });

      it('do not change when the caller modifies their data after the write', async () => {
        const key = newKey();
        const data = { list: [1] };
        const writing = outcomes([put(key, { data })]);
        data.list.push(2);

        await writing;

        expect((await getOne(store, key))?.data).toEqual({ list: [1] });
      });

      it('have no second effect when they are repeated', async () => {
        const pk = newPk();
        const all = ['a', 'b'].map((sk) => ({
          id: newId(),
          change,
          writes: [put({ pk, sk }, { condition: absent })],
        }));
        await Promise.all(writeEach(store, all));

        await expect(Promise.all(writeEach(store, all))).resolves.toHaveLength(2);
      });
    });

    describe('an item', () => {
      it('has its key, kind, data, and the id of its write as version', async () => {
        const key = newKey();

        const version = await write(store, put(key, { kind: 'animal', data: { legs: 4 } }));

        expect(plain(await getOne(store, key))).toEqual({
          key,
          kind: 'animal',
          version,
          data: { legs: 4 },
        });
      });

      it('is replaced as a whole, with a new version', async () => {
        const key = newKey();
        await write(store, put(key, { kind: 'animal', data: { legs: 4 } }));

        const version = await write(store, put(key, { kind: 'plant', data: { leaves: 9 } }));

        expect(plain(await getOne(store, key))).toEqual({
          key,
          kind: 'plant',
          version,
          data: { leaves: 9 },
        });
      });

      it('is absent before it is put and after it is deleted', async () => {
        const key = newKey();
        const before = await getOne(store, key);
        await write(store, put(key));

        await write(store, del(key));

        expect([before, await getOne(store, key)]).toEqual([undefined, undefined]);
      });

      it('does not change when the caller modifies its data after the write', async () => {
        const key = newKey();
        const data = { list: [1] };
        const writing = write(store, put(key, { data }));
        data.list.push(2);

        await writing;
        data.list.push(3);

        expect((await getOne(store, key))?.data).toEqual({ list: [1] });
      });

      const values: readonly (readonly [string, unknown])[] = [
        ['doubles', [1e300, -1e300, 5e-324, 2 ** 53, 2 ** 53 + 2, 0.1, 1.5, -1, 0, 1e21]],
        ['negative zero', [-0, { deep: [-0] }]],
        ['null and booleans', [null, true, false]],
        ['empty values', ['', [], {}, [[]], { '': '' }]],
        ['nested values', { a: [{ b: [{ c: { d: [1, [2, [3]]] } }] }] }],
        ['unicode', ['é', 'e\u0301', '日本', '😀', '\uffff', '\u2028', 'ß']],
        ['control characters', ['\u0000', '\n', '\r\n', '\t', '\u0001', '"\\']],
        ['odd names', JSON.parse('{"__proto__": 1, "constructor": 2, "toJSON": 3, "1": 4}')],
        ['a long text', 'x'.repeat(100_000)],
      ];
      it.each(values)('keeps %s as they are', async (_, value) => {
        const key = newKey();

        await write(store, put(key, { data: { value } }));

        expect((await getOne(store, key))?.data).toStrictEqual({ value });
      });

      it('omits undefined members', async () => {
        const key = newKey();

        await write(store, put(key, { data: { a: undefined, b: -0, c: 1 } }));

        expect((await getOne(store, key))?.data).toStrictEqual({ b: -0, c: 1 });
      });

      it('is found by the exact bytes of its key', async () => {
        const pk = newPk();
        const names = ['a', 'A', 'é', 'e\u0301', '😀', 'a ', '\u0001', 'x/#?%'];
        await write(store, ...names.map((sk) => put({ pk, sk }, { data: { sk } })));

        const items = await store.get(names.map((sk) => ({ pk, sk })));

        expect(items.map((item) => item?.data)).toEqual(names.map((sk) => ({ sk })));
      });

      it('is not confused when two keys are equal once joined', async () => {
        const pk = newPk();
        const keys = ['b', 'bc'].flatMap((end) => [
          { pk: `${pk}#a`, sk: end },
          { pk: `${pk}#a${end}`, sk: 'c' },
        ]);
        await write(store, ...keys.map((key) => put(key, { data: key })));

        const items = await store.get(keys);

        expect(items.map((item) => item?.data)).toEqual(keys);
      });
    });

    describe('get', () => {
      it('returns items in the order of the keys, undefined for missing ones', async () => {
        const pk = newPk();
        await write(store, put({ pk, sk: 'a' }), put({ pk, sk: 'b' }));

        const items = await store.get(['b', 'none', 'a', 'b'].map((sk) => ({ pk, sk })));

        expect(items.map((item) => item?.key.sk)).toEqual(['b', undefined, 'a', 'b']);
      });

      it('returns an empty list for no keys', async () => {
        expect(await store.get([])).toEqual([]);
      });

      it('reads more than a hundred keys', async () => {
        const pk = newPk();
        const keys = Array.from({ length: 250 }, (_, n) => ({ pk, sk: String(n) }));
        await putMany(keys.map((key) => put(key)));

        const items = await store.get(keys);

        expect(items.map((item) => item?.key)).toEqual(keys);
      });
    });

    describe('a condition', () => {
      const absent: WriteCondition = { kind: 'absent' };
      const present: WriteCondition = { kind: 'present' };
      const other: WriteCondition = { kind: 'version', version: 'abc' };
      const none: WriteCondition = { kind: 'none' };

      const rows: readonly {
        name: string;
        exists: boolean;
        condition: WriteCondition | 'its version';
        ok: boolean;
      }[] = [
        { name: 'none, of nothing', exists: false, condition: none, ok: true },
        { name: 'none, of an item', exists: true, condition: none, ok: true },
        { name: 'absent, of nothing', exists: false, condition: absent, ok: true },
        { name: 'absent, of an item', exists: true, condition: absent, ok: false },
        { name: 'present, of nothing', exists: false, condition: present, ok: false },
        { name: 'present, of an item', exists: true, condition: present, ok: true },
        { name: 'a version, of nothing', exists: false, condition: other, ok: false },
        { name: 'another version, of an item', exists: true, condition: other, ok: false },
        { name: 'its version, of an item', exists: true, condition: 'its version', ok: true },
      ];
      const actions = ['put', 'delete', 'check'] as const;
      const cases = rows.flatMap((row) => actions.map((action) => ({ ...row, action })));

      it.each(cases.filter(({ ok }) => ok))('$name: $action succeeds', async (row) => {
        const key = newKey();
        const tested = await arrange(key, row);
        const before = await getOne(store, key);

        await write(store, tested);

        const after = (await getOne(store, key))?.data;
        const expected = { put: { n: 2 }, delete: undefined, check: before?.data };
        expect(after).toEqual(expected[row.action]);
      });

      it.each(cases.filter(({ ok }) => !ok))('$name: $action fails', async (row) => {
        const key = newKey();
        const beside = { ...key, sk: 'beside' };
        const tested = await arrange(key, row);
        const before = await getOne(store, key);

        const failures = [await failureOf([tested]), await failureOf([put(beside), tested])];

        expect(failures).toEqual([0, 1]);
        expect(await store.get([key, beside])).toEqual([before, undefined]);
      });

      async function arrange(
        key: Key,
        row: (typeof rows)[number] & { action: Write['action'] },
      ): Promise<Write> {
        const version = row.exists ? await write(store, put(key, { data: { n: 1 } })) : 'none';
        const { condition } = row;
        return makeWrite(
          row.action,
          key,
          condition === 'its version' ? { kind: 'version', version } : condition,
        );
      }

      it('that fails names the first write that it prevents', async () => {
        const pk = newPk();
        const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((sk) => ({ pk, sk })) as [Key, Key, Key, Key];
        await write(store, put(a));

        const failure = await failureOf([
          put(a, { condition: present }),
          del(b),
          check(c, present),
          put(d, { condition: present }),
        ]);

        expect(failure).toBe(2);
      });

      it('that fails returns the current item, or none', async () => {
        const key = newKey();
        await write(store, put(key, { kind: 'animal', data: { legs: 4 } }));
        const there = await getOne(store, key);

        const error = await write(store, put(key, { condition: absent })).catch((e) => e);

        expect(error).toBeInstanceOf(ConditionFailed);
        expect([undefined, there]).toContainEqual(error.existing);
      });

      it('that fails for a missing item returns no item', async () => {
        const error = await write(store, del(newKey(), present)).catch((e) => e);

        expect(error).toBeInstanceOf(ConditionFailed);
        expect(error.existing).toBeUndefined();
      });

      it('sees earlier writes of the same moment', async () => {
        const key = newKey();

        const outcomes = await Promise.allSettled([
          write(store, put(key, { condition: absent })),
          write(store, put(key, { condition: absent })),
        ]);

        expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      });
    });

    describe('a transaction', () => {
      it('writes all of a hundred items', async () => {
        const pk = newPk();
        const keys = Array.from({ length: 100 }, (_, n) => ({ pk, sk: `k${n}` }));

        const version = await write(store, ...keys.map((key) => put(key)));

        const items = await store.get(keys);
        expect(items.map((item) => item?.version)).toEqual(keys.map(() => version));
      });

      it('rejects more than a hundred', async () => {
        const pk = newPk();
        const keys = Array.from({ length: 101 }, (_, n) => ({ pk, sk: `k${n}` }));

        await expect(write(store, ...keys.map((key) => put(key)))).rejects.toThrow();

        expect(await store.query({ pk, limit: 10 })).toEqual(nothing);
      });

      it('puts, deletes and checks in one', async () => {
        const pk = newPk();
        const [a, b, c] = ['a', 'b', 'c'].map((sk) => ({ pk, sk })) as [Key, Key, Key];
        await write(store, put(b), put(c));

        await write(store, put(a), del(b, { kind: 'present' }), check(c, { kind: 'present' }));

        expect(await sortKeys(store, { pk, limit: 10 })).toEqual(['a', 'c']);
      });

      it('that fails changes no item and no index', async () => {
        const pk = newPk();
        const [a, b, c] = ['a', 'b', 'c'].map((sk) => ({ pk, sk })) as [Key, Key, Key];
        await write(store, put(a, { indexes: { slot0: 'old a' } }), put(b));
        const before = await store.get([a, b, c]);

        const failure = await failureOf([
          put(a, { data: { n: 2 }, indexes: { slot0: 'new a' } }),
          del(b),
          put(c, { indexes: { slot0: 'c' } }),
          check({ pk, sk: 'none' }, { kind: 'present' }),
        ]);

        await settle();
        const indexed = await store.query({ pk, index: 'slot0', limit: 10 });
        expect(failure).toBe(3);
        expect(await store.get([a, b, c])).toEqual(before);
        expect(indexed.positions).toEqual(['old a']);
      });

      it.each(['put', 'delete', 'check'] as const)(
        'rejects a repeated key, once in a %s',
        async (action) => {
          const key = newKey();

          await expect(
            write(store, put(key), makeWrite(action, key, { kind: 'none' })),
          ).rejects.toThrow();

          expect(await getOne(store, key)).toBeUndefined();
        },
      );
    });

    describe('repeating a write whose response was lost', () => {
      const rows: readonly { name: string; before: boolean; writes: (key: Key) => Write[] }[] = [
        { name: 'a put', before: true, writes: (key) => [put(key, { data: { n: 2 } })] },
        {
          name: 'a creation',
          before: false,
          writes: (key) => [put(key, { data: { n: 2 }, condition: { kind: 'absent' } })],
        },
        {
          name: 'an update of what is there',
          before: true,
          writes: (key) => [put(key, { data: { n: 2 }, condition: { kind: 'present' } })],
        },
        {
          name: 'an update of a version',
          before: true,
          writes: (key) => [put(key, { data: { n: 2 }, condition: versionOne })],
        },
        { name: 'a delete without condition', before: true, writes: (key) => [del(key)] },
        {
          name: 'a transaction that creates, updates, deletes and checks',
          before: true,
          writes: (key) => [
            put({ ...key, sk: 'new' }, { condition: { kind: 'absent' } }),
            put(key, { data: { n: 2 }, condition: versionOne }),
            del({ ...key, sk: 'old' }, { kind: 'present' }),
            check({ ...key, sk: 'old2' }, { kind: 'present' }),
          ],
        },
      ];
      const versionOne: WriteCondition = { kind: 'version', version: '1' };

      it.each(rows)('$name: succeeds and changes nothing', async ({ before, writes }) => {
        const key = newKey();
        if (before) await store.write({ id: '1', change, writes: [put(key, { data: { n: 1 } })] });
        await write(store, put({ ...key, sk: 'old' }), put({ ...key, sk: 'old2' }));
        const transaction = { id: newId(), change, writes: writes(key) };
        await store.write(transaction);
        const applied = await store.query({ pk: key.pk, limit: 10 });

        await store.write(transaction);

        expect(await store.query({ pk: key.pk, limit: 10 })).toEqual(applied);
      });

      it('does not treat another write as its repetition', async () => {
        const key = newKey();
        await write(store, put(key, { condition: { kind: 'absent' } }));

        const failure = await failureOf([put(key, { condition: { kind: 'absent' } })]);

        expect(failure).toBe(0);
      });

      it('does not treat a part of a transaction as the whole', async () => {
        const key = newKey();
        const id = await write(store, put(key));
        const beside = { ...key, sk: 'beside' };
        const absent: WriteCondition = { kind: 'absent' };

        const error = await store
          .write({
            id,
            change,
            writes: [put(key, { condition: absent }), put(beside, { condition: absent })],
          })
          .catch((e) => e);

        expect(error).toBeInstanceOf(ConditionFailed);
        expect(await getOne(store, beside)).toBeUndefined();
      });
    });

    describe('concurrent writers', () => {
      it('of one new key: one creates it', async () => {
        const key = newKey();
        const creations = Array.from({ length: 20 }, (_, n) =>
          write(store, put(key, { data: { n }, condition: { kind: 'absent' } })),
        );

        const outcomes = await Promise.allSettled(creations);

        const winners = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
        expect(winners).toEqual([(await getOne(store, key))?.version]);
      });

      it('that name the version they read lose no update', async () => {
        const key = newKey();
        await write(store, put(key, { data: { count: 0 } }));

        await Promise.all(Array.from({ length: 4 }, () => repeatedly(10, () => increment(key))));

        expect((await getOne(store, key))?.data).toEqual({ count: 40 });
      });

      it('that move amounts in transactions keep the sum', async () => {
        const pk = newPk();
        const keys = ['a', 'b', 'c'].map((sk) => ({ pk, sk }));
        await write(store, ...keys.map((key) => put(key, { data: { count: 100 } })));

        await Promise.all(
          keys.map((from, n) =>
            repeatedly(8, () => move(from, keys[(n + 1) % keys.length] ?? from)),
          ),
        );

        const items = await store.get(keys);
        expect(items.map(countOf).reduce((a, b) => a + b)).toBe(300);
      });

      it('are visible to all readers after their response', async () => {
        const key = newKey();
        const seen: boolean[] = [];

        await Promise.all([
          repeatedly(20, async () => {
            const version = await write(store, put(key));
            seen.push((await getOne(store, key))?.version === version);
          }),
          repeatedly(60, () => store.get([key])),
          repeatedly(60, () => store.query({ pk: key.pk, limit: 10 })),
        ]);

        expect(seen).toEqual(seen.map(() => true));
      });
    });

    describe('a counter', () => {
      it('starts at 1 and increments by 1', async () => {
        const counter = newKey();

        const numbers = await collect(3, () => store.next(counter));

        expect(numbers).toEqual([1, 2, 3]);
      });

      it('returns blocks', async () => {
        const counter = newKey();

        const firsts = [
          await store.next(counter, 5),
          await store.next(counter),
          await store.next(counter, 50),
          await store.next(counter),
        ];

        expect(firsts).toEqual([1, 6, 7, 57]);
      });

      it('ends at the highest number, and is unchanged when fewer are left', async () => {
        const counter = newKey();
        const most = 100;
        expect(await store.next(counter, 90, most)).toBe(1);

        await expect(store.next(counter, 11, most)).rejects.toThrow(CounterEnded);

        expect(await store.next(counter, 10, most)).toBe(91);
        await expect(store.next(counter, 1, most)).rejects.toThrow(CounterEnded);
        expect(await store.next(counter)).toBe(101);
      });

      it('has ids of 31 bits, those of messages and traces ten digits', async () => {
        const { pk } = newKey();
        for (const [sk, last] of [
          ['user', 2_147_483_647],
          ['message', 9_999_999_999],
          ['trace-endpoint', 9_999_999_999],
        ] as const) {
          await store.next({ pk, sk }, last - 1, last);

          expect(await store.next({ pk, sk })).toBe(last);
          await expect(store.next({ pk, sk })).rejects.toThrow(CounterEnded);
        }
      });

      it('is not raised past its end by several at once', async () => {
        const counter = newKey();

        const taken = await Promise.allSettled(
          Array.from({ length: 8 }, () => store.next(counter, 40, 100)),
        );

        expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
        expect(await store.next(counter)).toBe(81);
      });

      it('is independent of other counters', async () => {
        const pk = newPk();
        await store.next({ pk, sk: 'a' }, 10);

        expect(await store.next({ pk, sk: 'b' })).toBe(1);
      });

      it('returns no number twice to concurrent callers', async () => {
        const counter = newKey();

        const firsts = await Promise.all(
          Array.from({ length: 50 }, (_, n) => store.next(counter, 1 + (n % 3))),
        );

        const all = firsts.flatMap((first, n) =>
          Array.from({ length: 1 + (n % 3) }, (_, i) => first + i),
        );
        expect(new Set(all).size).toBe(all.length);
      });

      it('increases for repeated calls while items are written', async () => {
        const counter = newKey();
        const pk = newPk();

        const numbers = await collect(20, async () => {
          const number = await store.next(counter);
          await write(store, put({ pk, sk: String(number) }, { condition: { kind: 'absent' } }));
          return number;
        });

        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        expect(new Set(numbers).size).toBe(20);
      });
    });

    describe('a query', () => {
      const strange = ['\u0001', ' ', 'A', 'a', 'a\u0001', 'aa', 'ab', 'b', '~', '\u007f', 'é'];
      const wide = ['\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'];
      const ordered = [...strange, ...wide];

      it('of the table finds items by code point of their sort keys', async () => {
        const pk = newPk();
        await putMany([...ordered].reverse().map((sk) => put({ pk, sk })));

        const found = await store.query({ pk, limit: 100 });

        expect(found.positions).toEqual(ordered);
        expect(found.items.map((item) => item.key.sk)).toEqual(ordered);
      });

      it('of an index finds items by code point of their index keys', async () => {
        const pk = newPk();
        await putMany(
          [...ordered].reverse().map((slot3, n) => put({ pk, sk: `${n}` }, { indexes: { slot3 } })),
        );
        await settle();

        const found = await store.query({ pk, index: 'slot3', limit: 100 });

        expect(found.positions).toEqual(ordered);
      });

      it('keeps U+0000 in index keys separate and in order', async () => {
        const pk = newPk();
        const keys = [
          'a\u00001',
          'a\u00002',
          'a\u0001\u00003',
          'aa\u00004',
          '\u00000',
          '\u0000\u00005',
        ];
        const sorted = [...keys].sort(byBytes);
        await putMany(keys.map((slot0, n) => put({ pk, sk: `${n}` }, { indexes: { slot0 } })));
        await settle();

        const all = await store.query({ pk, index: 'slot0', limit: 100 });
        const some = await store.query({
          pk,
          index: 'slot0',
          lower: { key: 'a\u0000', inclusive: true },
          upper: { key: 'a\u0001', inclusive: false },
          limit: 100,
        });

        expect(all.positions).toEqual(sorted);
        expect(some.positions).toEqual(['a\u00001', 'a\u00002']);
      });

      it('is limited to its partition and its index', async () => {
        const pk = newPk();
        const near = [`${pk}\u0001`, `${pk}#`, pk.slice(0, -1), `${pk}0`];
        await write(
          store,
          ...near.map((other) =>
            put({ pk: other, sk: 'x' }, { indexes: { slot0: 'x', slot2: 'x' } }),
          ),
          put({ pk, sk: 'mine' }, { indexes: { slot0: 'v', slot2: 'w' } }),
        );
        await settle();

        const found = await Promise.all(
          [{}, { index: 'slot0' as const }, { index: 'slot1' as const }].flatMap((where) =>
            [true, false].map((descending) => store.query({ pk, ...where, descending, limit: 10 })),
          ),
        );

        expect(found.map(({ positions }) => positions)).toEqual([
          ['mine'],
          ['mine'],
          ['v'],
          ['v'],
          [],
          [],
        ]);
      });

      it('of an index returns complete items', async () => {
        const key = newKey();
        await write(
          store,
          put(key, { kind: 'animal', data: { legs: [4] }, indexes: { owned: 'z' } }),
        );
        await settle();

        const found = await store.query({ pk: key.pk, index: 'owned', limit: 10 });

        expect(found).toEqual({ items: [await getOne(store, key)], positions: ['z'], more: false });
      });

      it('of an empty partition finds no items', async () => {
        expect(await store.query({ pk: newPk(), limit: 10 })).toEqual(nothing);
        expect(await store.query({ pk: newPk(), index: 'shared', limit: 10 })).toEqual(nothing);
      });

      const places = [undefined, ...indexNames].map((index) => ({
        index,
        place: index ?? 'table',
      }));
      it.each(places)('pages both ways through the $place', async ({ index }) => {
        const pk = newPk();
        const names = Array.from({ length: 23 }, (_, n) => `i${String(n).padStart(2, '0')}`);
        await putMany(
          names.map((sk, n) =>
            put({ pk, sk }, { indexes: { [index ?? 'owned']: `${n % 5}\u0000${sk}` } }),
          ),
        );
        await settle();
        const inOrder = index
          ? [...names].sort((a, b) => byBytes(fifth(a) + a, fifth(b) + b))
          : names;

        for (const limit of [1, 7, 23, 24, 1000]) {
          const up = await walkPages(store, { pk, index, descending: false, limit });
          const down = await walkPages(store, { pk, index, descending: true, limit });
          expect(up).toEqual(inOrder);
          expect(down).toEqual([...inOrder].reverse());
        }
      });

      it('returns a thousand items in one page', async () => {
        const pk = newPk();
        const names = Array.from({ length: 1001 }, (_, n) => String(n).padStart(5, '0'));
        await putMany(names.map((sk) => put({ pk, sk }, { indexes: { updated: `u${sk}` } })));
        await settle();

        const up = await store.query({ pk, limit: 1000 });
        const down = await store.query({ pk, index: 'updated', descending: true, limit: 1000 });

        expect([up.items.map(({ key }) => key.sk), up.more]).toEqual([names.slice(0, 1000), true]);
        expect([down.positions, down.more]).toEqual([
          names
            .slice(1)
            .reverse()
            .map((sk) => `u${sk}`),
          true,
        ]);
      });

      it.each([0, -1, 1001, Number.NaN])('rejects a limit of %s', async (limit) => {
        await expect(store.query({ pk: newPk(), limit })).rejects.toThrow();
      });

      const ends = [undefined, 'a', 'b', 'bb', 'c', 'd', 'e'];
      it.each(['table', 'index'])('respects every kind of bounds, in the %s', async (place) => {
        const pk = newPk();
        const all = ['b', 'bb', 'c', 'd'];
        await putMany(all.map((sk) => put({ pk, sk }, { indexes: { slot15: sk } })));
        await settle();

        for (const [from, to, low, high, descending] of combinations(ends, ends)) {
          const { positions } = await store.query({
            pk,
            ...(place === 'index' && { index: 'slot15' as const }),
            ...(from !== undefined && { lower: { key: from, inclusive: low } }),
            ...(to !== undefined && { upper: { key: to, inclusive: high } }),
            descending,
            limit: 10,
          });
          const expected = all.filter(
            (sk) =>
              (from === undefined || sk > from || (low && sk === from)) &&
              (to === undefined || sk < to || (high && sk === to)),
          );
          expect(positions, JSON.stringify({ from, to, low, high, descending })).toEqual(
            descending ? expected.reverse() : expected,
          );
        }
      });

      it('reports more items only when there may be some', async () => {
        const pk = newPk();
        await putMany(['a', 'b', 'c'].map((sk) => put({ pk, sk })));

        const short = await store.query({ pk, limit: 2 });
        const bounded = await store.query({ pk, limit: 5, upper: { key: 'b', inclusive: true } });

        expect([short.positions, short.more]).toEqual([['a', 'b'], true]);
        expect([bounded.positions, bounded.more]).toEqual([['a', 'b'], false]);
      });
    });

    describe('an index', () => {
      it('contains only the items that have a key in it', async () => {
        const pk = newPk();
        await write(
          store,
          put({ pk, sk: 'both' }, { indexes: { owned: 'o1', shared: 's1' } }),
          put({ pk, sk: 'one' }, { indexes: { owned: 'o2' } }),
          put({ pk, sk: 'none' }),
        );
        await settle();

        const owned = await sortKeys(store, { pk, index: 'owned', limit: 10 });
        const shared = await sortKeys(store, { pk, index: 'shared', limit: 10 });

        expect([owned, shared]).toEqual([['both', 'one'], ['both']]);
      });

      it('follows an item when it is changed, removed, added and deleted', async () => {
        const key = newKey();
        const found: unknown[] = [];
        const steps: Write[] = [
          put(key, { indexes: { slot0: 'a', slot1: 'same' } }),
          put(key, { data: { n: 2 }, indexes: { slot0: 'b', slot1: 'same' } }),
          put(key, { indexes: { slot1: 'same' } }),
          put(key, { indexes: { slot0: 'c', slot1: 'same', slot2: 'c' } }),
          put(key),
          put(key, { indexes: { slot0: 'd' } }),
          del(key),
        ];

        for (const step of steps) {
          await write(store, step);
          await settle();
          const slots = (['slot0', 'slot1', 'slot2'] as const).map((index) =>
            store.query({ pk: key.pk, index, limit: 10 }),
          );
          found.push((await Promise.all(slots)).map(({ positions }) => positions.join()));
        }

        expect(found).toEqual([
          ['a', 'same', ''],
          ['b', 'same', ''],
          ['', 'same', ''],
          ['c', 'same', 'c'],
          ['', '', ''],
          ['d', '', ''],
          ['', '', ''],
        ]);
      });

      it('has the newest data of an item whose index keys stay', async () => {
        const key = newKey();
        await write(store, put(key, { data: { n: 1 }, indexes: { updated: 'u' } }));
        await store.query({ pk: key.pk, index: 'updated', limit: 10 });

        await write(store, put(key, { data: { n: 2 }, indexes: { updated: 'u' } }));

        await settle();
        const { items } = await store.query({ pk: key.pk, index: 'updated', limit: 10 });
        expect(items.map(({ data }) => data)).toEqual([{ n: 2 }]);
      });

      it('supports an item in all nineteen', async () => {
        const key = newKey();
        const indexes = Object.fromEntries(indexNames.map((name) => [name, `${name}\u0000x`]));
        await write(store, put(key, { indexes }));
        await settle();

        const pages = await Promise.all(
          indexNames.map((index) => store.query({ pk: key.pk, index, limit: 10 })),
        );

        expect(pages.flatMap(({ positions }) => positions)).toEqual(Object.values(indexes));
      });
    });

    describe('sizes', () => {
      const long = (bytes: number) => '😀'.repeat(bytes / 4) + 'x'.repeat(bytes % 4);

      it('a key of 1,000 bytes is accepted', async () => {
        const pk = newPk();
        const key = { pk, sk: long(1000 - pk.length) };

        await write(store, put(key, { indexes: { slot0: key.sk } }));

        await settle();
        expect((await getOne(store, key))?.key).toEqual(key);
        expect(await sortKeys(store, { pk, index: 'slot0', limit: 1 })).toEqual([key.sk]);
      });

      const badKeys: readonly (readonly [string, (pk: string) => Key])[] = [
        ['of 1,001 bytes', (pk) => ({ pk, sk: long(1001 - pk.length) })],
        ['without partition key', () => ({ pk: '', sk: 'x' })],
        ['without sort key', (pk) => ({ pk, sk: '' })],
        ['with U+0000 in the partition key', (pk) => ({ pk: `${pk}\u0000`, sk: 'x' })],
        ['with U+0000 in the sort key', (pk) => ({ pk, sk: 'x\u0000y' })],
      ];
      it.each(badKeys)('a key %s is rejected and nothing is written', async (_, makeKey) => {
        const pk = newPk();
        const bad = makeKey(pk);

        await expect(write(store, put({ pk, sk: 'good' }), put(bad))).rejects.toThrow();

        expect(await getOne(store, { pk, sk: 'good' })).toBeUndefined();
        await expect(store.get([bad])).rejects.toThrow();
        await expect(store.next(bad)).rejects.toThrow();
      });

      it('an item of nearly 400 KB is accepted', async () => {
        const key = newKey();
        const text = 'x'.repeat(395 * 1024);

        await write(store, put(key, { data: { text } }));

        expect((await getOne(store, key))?.data).toEqual({ text });
      });

      it.each([
        ['ASCII', 'x'.repeat(401 * 1024)],
        ['others', 'é'.repeat(201 * 1024)],
      ])('an item over 400 KB of %s is rejected and nothing is written', async (_, text) => {
        const key = newKey();
        const beside = { ...key, sk: 'beside' };

        await expect(write(store, put(beside), put(key, { data: { text } }))).rejects.toThrow(
          ItemTooLarge,
        );

        expect(await store.get([key, beside])).toEqual([undefined, undefined]);
      });

      it('a transaction over 4 MB is rejected and nothing is written', async () => {
        const pk = newPk();
        const data = { text: 'x'.repeat(390 * 1024) };
        const keys = Array.from({ length: 11 }, (_, n) => ({ pk, sk: `${n}` }));

        await expect(write(store, ...keys.map((key) => put(key, { data })))).rejects.toThrow();

        expect(await store.get(keys)).toEqual(keys.map(() => undefined));
      });
    });

    describe('an item that expires', () => {
      const secondMs = 1000;

      /** Puts an item that expires in 100 seconds, and passes `seconds`. */
      async function expiring(key: Key, seconds: number): Promise<void> {
        const expiresAt = nowMs / secondMs + 100;
        await write(store, put(key, { data: { n: 1 }, expiresAt, indexes: { slot0: 'e' } }));
        await store.get([key]);
        nowMs += seconds * secondMs;
        await settle();
      }

      it('exists before', async () => {
        const key = newKey();
        await expiring(key, 99);

        const { items } = await store.query({ pk: key.pk, index: 'slot0', limit: 10 });

        expect([await getOne(store, key), ...items]).toMatchObject([{ key }, { key }]);
      });

      it('is absent for reads and queries after', async () => {
        const key = newKey();
        await write(store, put({ ...key, sk: 'z' }, { indexes: { slot0: 'z' } }));
        await expiring(key, 101);

        const table = await store.query({ pk: key.pk, limit: 1 });
        const index = await store.query({ pk: key.pk, index: 'slot0', limit: 1 });

        expect(await getOne(store, key)).toBeUndefined();
        expect([table.positions, index.positions]).toEqual([['z'], ['z']]);
      });

      it.each([
        { condition: 'absent', fails: false },
        { condition: 'present', fails: true },
        { condition: 'version', fails: true },
      ] as const)('is absent for the condition "$condition" after', async (row) => {
        const key = newKey();
        await expiring(key, 0);
        const condition = conditionOn(row.condition, await getOne(store, key));
        nowMs += 101 * secondMs;

        const failure = await failureOf([put(key, { data: { n: 2 }, condition })]);

        expect(failure).toBe(row.fails ? 0 : undefined);
        expect((await getOne(store, key))?.data).toEqual(row.fails ? undefined : { n: 2 });
      });

      it('is kept when it is put again without an expiry', async () => {
        const key = newKey();
        await expiring(key, 50);
        await write(store, put(key, { data: { n: 2 } }));
        nowMs += 1000 * secondMs;

        expect((await getOne(store, key))?.data).toEqual({ n: 2 });
      });
    });

    describeModel({ store: () => store, newPk, settle, sequences });

    const nothing = { items: [], positions: [], more: false };

    async function putMany(writes: readonly Write[]): Promise<void> {
      for (let at = 0; at < writes.length; at += 100) {
        await write(store, ...writes.slice(at, at + 100));
      }
    }

    /** Returns the position of the write whose condition failed; undefined when all was written. */
    async function failureOf(writes: readonly Write[]): Promise<number | undefined> {
      try {
        await write(store, ...writes);
        return undefined;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        return error.index;
      }
    }

    /** Adds 1 to an item's count, and retries after write conflicts. */
    async function increment(key: Key): Promise<void> {
      await retryRaces(async () => {
        const item = await getOne(store, key);
        await write(store, putCount(key, { item, count: countOf(item) + 1 }));
      });
    }

    async function move(from: Key, to: Key): Promise<void> {
      await retryRaces(async () => {
        const [giver, taker] = await store.get([from, to]);
        await write(
          store,
          putCount(from, { item: giver, count: countOf(giver) - 1 }),
          putCount(to, { item: taker, count: countOf(taker) + 1 }),
        );
      });
    }
  });
}

function conditionOn(kind: 'absent' | 'present' | 'version', item: Counted): WriteCondition {
  return kind === 'version' ? { kind, version: item?.version ?? '' } : { kind };
}

function makeWrite(action: Write['action'], key: Key, condition: WriteCondition): Write {
  switch (action) {
    case 'put':
      return put(key, { data: { n: 2 }, condition });
    case 'delete':
      return del(key, condition);
    case 'check':
      return check(key, condition);
  }
}

type Counted = { readonly version: string; readonly data: object } | undefined;

function putCount(key: Key, { item, count }: { item: Counted; count: number }): Write {
  const version = item?.version ?? '';
  return put(key, { data: { count }, condition: { kind: 'version', version } });
}

function countOf(item: Counted): number {
  return (item?.data as { count: number } | undefined)?.count ?? 0; // written by the test
}

async function retryRaces(attempt: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

async function repeatedly(times: number, act: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n += 1) await act();
}

async function collect<Result>(times: number, act: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  await repeatedly(times, async () => results.push(await act()));
  return results;
}

/** Prefix of an item's name in an index of the paging test: `i07` -> `2`, a NUL. */
function fifth(name: string): string {
  return `${Number(name.slice(1)) % 5}\u0000`;
}

type Combination<End> = readonly [End, End, boolean, boolean, boolean];

/** All pairs of bounds, each inclusive and exclusive, in both directions; lower bounds not above upper ones. */
function combinations<End extends string | undefined>(
  lowers: readonly End[],
  uppers: readonly End[],
): Combination<End>[] {
  const flags = [true, false];
  return lowers.flatMap((from) =>
    uppers
      .filter((to) => from === undefined || to === undefined || from <= to)
      .flatMap((to) =>
        flags.flatMap((low) =>
          flags.flatMap((high) => flags.map((down) => [from, to, low, high, down] as const)),
        ),
      ),
  );
}
