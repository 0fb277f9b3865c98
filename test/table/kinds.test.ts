import { describe, expect, test } from 'vitest';
import { readPart } from '../../shared/backups/contents.ts';
import { addDetails } from '../../shared/backups/details.ts';
import { highestIds } from '../../shared/backups/restored-ids.ts';
import { describeItem } from '../../shared/jobs/letter-item.ts';
import type { Query, Stored } from '../../shared/store/store.ts';
import { instanceCounters } from '../../shared/table/entities.ts';
import { isOwn, partitionBelow } from '../../shared/table/partitions.ts';
import { archiveFiles } from '../../shared/values/file-keys.ts';
import { nameOf, samples } from './samples.ts';

/* What code reads from the declarations of item kinds. Each list is stated here in full. */

/** An item of each kind, under its sample key. */
const items: readonly (readonly [string, Stored])[] = samples.map(([entity, key]) => [
  nameOf(entity).replace('Entity', ''),
  { key, kind: entity.kind, version: 'a', data: dataOf(entity.kind) },
]);

function dataOf(kind: string): object {
  if (kind === 'class') return { name: 'book', number: 5, schema: [], storage: [] };
  return { row: 4, values: {} };
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
  const part = await readPart(contents, { at: 0, classes: [] });
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

test('the counters of an instance', () => {
  expect([...instanceCounters].sort()).toEqual([
    'admin',
    'apns-device',
    'apns-message',
    'channel',
    'data-endpoint',
    'dead-letter',
    'endpoint',
    'gcm-device',
    'gcm-message',
    'group',
    'key',
    'message',
    'object',
    'restore',
    'schedule',
    'script',
    'template',
    'trace-endpoint',
    'trace-schedule',
    'trace-script',
    'trace-trigger',
    'trigger',
    'user',
  ]);
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

  test('contains these kinds of them', async () => {
    expect((await readAll()).kinds).toEqual([
      'channel',
      'channel-row',
      'class',
      'data-endpoint',
      'data-endpoint-row',
      'deleted-groups',
      'group',
      'group-name',
      'metadata',
      'object',
      'password',
      'push-config',
      'push-device',
      'push-device-row',
      'schedule',
      'schedule-ids',
      'script',
      'script-endpoint',
      'script-endpoint-row',
      'script-source',
      'template',
      'template-row',
      'trigger',
      'trigger-ids',
      'user',
      'user-social',
    ]);
  });

  test('counts these', () => {
    expect(valuesOf((item) => Object.keys(addDetails({}, [item]))[0])).toEqual({
      class: 'class',
      object: 'data_object',
      user: 'user',
      group: 'group',
      script: 'script',
      scriptEndpoint: 'script_endpoint',
      dataEndpoint: 'data_endpoint',
      template: 'template',
      channel: 'channel',
      schedule: 'schedule',
      trigger: 'trigger',
      pushDevice: 'device',
    });
  });

  test('raises these counters when it is restored', () => {
    const raised = valuesOf(
      (item) =>
        Object.entries(
          highestIds({}, [{ ...item, action: 'put', condition: { kind: 'none' } }]),
        )[0],
    );

    expect(raised).toEqual({
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
