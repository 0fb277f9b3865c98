import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readContentsPart } from '../../shared/backups/contents.ts';
import { addDetails } from '../../shared/backups/details.ts';
import { highestIds } from '../../shared/backups/restored-ids.ts';
import { describeItem } from '../../shared/jobs/letter-item.ts';
import type { Key, Query, Stored } from '../../shared/store/store.ts';
import { instanceCounters } from '../../shared/table/counters.ts';
import { idKey, ofInstance } from '../../shared/table/key-parts.ts';
import { entity } from '../../shared/table/kind.ts';
import { fileNamedBy, kinds, kindsWithFiles } from '../../shared/table/kinds.ts';
import {
  classItems,
  classPartitions,
  contentPartitions,
  isOwn,
  ownPartitions,
  partitionBelow,
} from '../../shared/table/partitions.ts';
import { archiveFiles } from '../../shared/values/file-keys.ts';
import { nameOf, samples } from './samples.ts';

/* What code reads from the declarations of item kinds. Each list is stated here in full, or on the page of the table. */

/** An item of each kind, under its sample key. */
const items: readonly (readonly [string, Stored])[] = samples.map(([entity, key]) => [
  nameOf(entity).replace('Entity', ''),
  { key, kind: entity.kind, version: 'a', data: dataOf(entity.kind, key) },
]);

function dataOf(kind: string, { sk }: Key): object {
  if (kind === 'class') return { name: 'book', number: 5, schema: [], storage: [] };
  const isFoundById = /[0-9]{10}$/.test(sk);
  return isFoundById ? { values: {} } : { row: 4 };
}

/** Reads all parts of a backup of these items. Returns the partitions in order, and the kinds of its items. */
async function readAll() {
  const partitions: string[] = [];
  const reader = {
    query: ({ pk }: Query) => {
      partitions.push(pk);
      const found = items.map(([, item]) => item).filter(({ key }) => key.pk === pk);
      return Promise.resolve({
        items: found,
        positions: found.map(({ key }) => key.sk),
        more: false,
      });
    },
  };
  const contents = {
    reader,
    files: {} as never, // no item refers to a file
    clock: { now: () => new Date(0), steadyMs: () => 0 } as never,
    data: 7,
    archive: archiveFiles(12, 5),
    log: () => undefined,
  };
  const part = await readContentsPart(contents, { at: 0, classes: [] });
  const kinds = part.lines.map((line) => String(JSON.parse(line)[2]));
  return { partitions, kinds: [...new Set(kinds)].sort() };
}

/** Returns the names of the entities of whose items something is true. */
function namesWhere(isTrue: (item: Stored) => boolean): readonly string[] {
  const names = items.filter(([, item]) => isTrue(item)).map(([name]) => name);
  return [...new Set(names)].sort();
}

/** Returns what a function says of the items of each entity, where it says anything. */
function valuesOf(read: (item: Stored) => unknown): Readonly<Record<string, unknown>> {
  const found = items.map(([name, item]) => [name, read(item)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** The rows of the page of the table, each with the entity whose sample has its key. */
const described = readFileSync('docs/internals/table.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .flatMap(([, , pk, sk, belongsTo, , counters = '', shownAs]) => {
    const found = samples.find(([, key]) => key.pk === pk && key.sk === sk);
    if (found === undefined) return [];
    const [entity] = found;
    const name = nameOf(entity).replace('Entity', '');
    return [{ name, kind: entity.kind, belongsTo, shownAs, counters: counters.split(', ') }];
  });

test('the counters of an instance are those of the page', () => {
  const counters = new Set(described.flatMap((row) => row.counters).filter((name) => name !== ''));

  expect([...instanceCounters].sort()).toEqual([...counters].sort());
  expect(described).toHaveLength(kinds.length);
});

test('what belongs to an instance itself, and not to its contents', () => {
  expect(namesWhere((item) => item.key.pk === 'INSTANCE#7' && isOwn(item))).toEqual([
    'activeRestore',
    'admin',
    'apiKey',
    'config',
    'instance',
    'instanceBackup',
    'instanceMetadata',
    'invitation',
    'invited',
    'restore',
  ]);
});

test('what ends with an item', () => {
  expect(valuesOf(partitionBelow)).toEqual({
    group: 'INSTANCE#7#MEMBERS#9',
    script: 'INSTANCE#7#TRACES#script#6',
    scriptEndpointPosition: 'INSTANCE#7#TRACES#endpoint#4',
    trigger: 'INSTANCE#7#TRACES#trigger#6',
    schedule: 'INSTANCE#7#TRACES#schedule#6',
  });
});

test('what ends with a class in the main partition', () => {
  expect(classItems(7, 5)).toEqual([
    { pk: 'INSTANCE#7', sk: 'CLASSCOUNT#0000000005' },
    { pk: 'INSTANCE#7', sk: 'CLASSCOUNT#0000000005#FILES' },
    { pk: 'INSTANCE#7', sk: 'CLASSMIGRATION#0000000005' },
  ]);
});

test('items that name files', () => {
  expect(kindsWithFiles).toEqual(['file', 'script-source']);
  const named = items.map(([, item]) => ({ ...item, data: { file: 'a' } }));
  expect(named.map(fileNamedBy).filter((file) => file !== undefined)).toEqual(['files/7/5/k', 'a']);
});

/** Returns a partition without the id of the item that it is below. */
function withoutId(partition: string): string {
  return partition.replace(/#[0-9]+$/, '');
}

describe('every item of an instance is deleted with it, by what its kind names', () => {
  const below = items.map(([, item]) => withoutId(partitionBelow(item) ?? ''));
  const declared = samples.map(([entity, key]) => [nameOf(entity), key, entity.facts] as const);

  test.each(declared)('%s', (_, { pk, sk }, facts) => {
    if (facts.belongsTo === 'deployment' || facts.belongsTo === 'account') return;
    switch (facts.clearedWith) {
      case undefined:
        expect([...contentPartitions(7, 0), ...ownPartitions(7)]).toContain(pk);
        break;
      case 'class':
        expect(classPartitions(7, 5)).toContain(pk);
        break;
      case 'class item':
        expect(classItems(7, 5)).toContainEqual({ pk, sk });
        break;
      case 'provider':
        expect(contentPartitions(7, 0)).toContain(pk);
        break;
      case 'item':
        expect(below).toContain(withoutId(pk));
        break;
      case 'time':
        expect(pk).toMatch(/^INSTANCE#7#MESSAGE/); // items of rooms of channels, all of which expire
        break;
      case 'name':
        expect(pk).toBe('NAME#shop');
    }
  });
});

test('a kind that does not say whom its items belong to does not compile', () => {
  // @ts-expect-error: nothing is said
  entity('wrong').keyed(ofInstance, 'WRONG');
  // @ts-expect-error: the owner is missing
  entity('wrong').keyed(ofInstance, 'WRONG#', idKey, { shownAs: 'wrong' });

  expect(entity('right').keyed(ofInstance, 'R', { belongsTo: 'contents' }).facts).toEqual({
    belongsTo: 'contents',
  });
});

test('kinds that share a name declare nothing but their owner, so that a name is enough to find the rest', () => {
  const names = kinds.map(({ kind }) => kind);
  const shared = kinds.filter(({ kind }) => names.indexOf(kind) !== names.lastIndexOf(kind));

  expect([...new Set(shared.map(({ kind }) => kind))].sort()).toEqual([
    'attempts',
    'metadata',
    'password',
  ]);
  for (const { facts } of shared) expect(Object.keys(facts)).toEqual(['belongsTo']);
});

describe('a backup', () => {
  test('reads these partitions, the main one first and classes last', async () => {
    expect((await readAll()).partitions).toEqual([
      'INSTANCE#7',
      'INSTANCE#7#USERS',
      'INSTANCE#7#PASSWORDS',
      'INSTANCE#7#SOCIAL',
      'INSTANCE#7#DEVICES#gcm',
      'INSTANCE#7#DEVICEROWS#gcm',
      'INSTANCE#7#DEVICES#apns',
      'INSTANCE#7#DEVICEROWS#apns',
      'INSTANCE#7#CLASS#5',
    ]);
  });

  test('contains the kinds that the page says', async () => {
    const contents = described.filter(({ belongsTo }) => belongsTo === 'contents');

    expect((await readAll()).kinds).toEqual([...new Set(contents.map(({ kind }) => kind))].sort());
  });

  test('counts what the page says', () => {
    const counted = described.filter(({ shownAs }) => shownAs !== '');

    expect(valuesOf((item) => Object.keys(addDetails({}, [item]))[0])).toEqual(
      Object.fromEntries(counted.map(({ name, shownAs }) => [name, shownAs])),
    );
  });

  test('raises these counters when it is restored', () => {
    const raised = valuesOf(
      (item) =>
        Object.entries(
          highestIds({}, [{ ...item, action: 'put', condition: { kind: 'none' } }]),
        )[0],
    );

    expect(raised).toMatchObject({
      object: ['object', 12345678901],
      user: ['user', 21],
      group: ['group', 9],
      script: ['script', 6],
      schedule: ['schedule', 6],
      trigger: ['trigger', 6],
      dataEndpoint: ['data-endpoint', 4],
      template: ['template', 4],
      channel: ['channel', 4],
      scriptEndpoint: ['endpoint', 4],
      pushDevice: ['gcm-device', 4],
    });
    const counting = described.filter(
      ({ belongsTo, counters: [first] }) => belongsTo === 'contents' && first !== '',
    );
    expect(Object.keys(raised).sort()).toEqual(counting.map(({ name }) => name).sort());
  });
});

test('what a dead letter says of the changed item', () => {
  const shown = valuesOf(({ key, kind }) => {
    const { action: _, ...rest } = describeItem({ key, kind }, 'create');
    return rest.item === 'other' ? undefined : rest;
  });

  expect(shown).toEqual({
    object: { item: 'object', itemId: 12345678901, classNumber: 5 },
    file: { item: 'file', classNumber: 5 },
    triggerEvent: { item: 'object', itemId: 5 },
    channelEvent: { item: 'object', itemId: 21, classNumber: 5 },
    class: { item: 'class' },
    script: { item: 'script', itemId: 6 },
  });
});
