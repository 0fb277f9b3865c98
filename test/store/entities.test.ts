import { describe, expect, test } from 'vitest';
import { deploymentCounter, instanceCounter } from '../../shared/table/counters.ts';
import * as ids from '../../shared/table/data-ids.ts';
import { kinds } from '../../shared/table/kinds.ts';
import {
  classPartitions,
  contentPartitions,
  ownPartitions,
} from '../../shared/table/partitions.ts';
import { isInstance, ownerOfData, restoredData } from '../../shared/values/keys/data-ids.ts';
import { samples, table } from '../table/samples.ts';

describe('stored keys never change', () => {
  test.each(samples.map((sample) => [sample[2], ...sample] as const))(
    '%s',
    (stored, { kind }, key) => {
      const [storedKind, pk, sk] = stored.split(' | ');
      expect(kind).toBe(storedKind);
      expect(key).toStrictEqual({ pk, sk });
    },
  );

  test('of every entity', () => {
    const all = Object.entries(table).filter(([name]) => name.endsWith('Entity'));
    expect(
      all.map(([, entity]) => entity).filter((each) => !kinds.some((kind) => kind === each)),
    ).toEqual([]);
    const sampled = new Set<unknown>(samples.map(([entity]) => entity));
    expect(all.filter(([, entity]) => !sampled.has(entity)).map(([name]) => name)).toEqual([]);
    expect(kinds.filter((kind) => !sampled.has(kind)).map(({ kind }) => kind)).toEqual([]);
  });

  test('of counters', () => {
    expect(instanceCounter(7, 'object')).toStrictEqual({
      pk: 'INSTANCE#7#SEQUENCE',
      sk: 'object',
    });
    expect(deploymentCounter('account')).toStrictEqual({ pk: 'SEQUENCE', sk: 'account' });
  });
});

test('the partitions of a class', () => {
  expect(classPartitions(7, 5)).toEqual([
    'INSTANCE#7#CLASS#5',
    'INSTANCE#7#UNIQUE#5',
    'INSTANCE#7#FILES#5',
  ]);
  for (const pk of ['INSTANCE#7#CLASS#5', 'INSTANCE#7#FILES#5']) {
    expect(table.objectOfKey({ pk, sk: 'any' })).toEqual({ instance: 7, classNumber: 5 });
  }
});

test('the data id of an instance', () => {
  const data = restoredData(7, 3);

  expect(data).toBe(30_000_000_007);
  expect(restoredData(data, 4)).toBe(40_000_000_007);
  expect([ownerOfData(data), ownerOfData(7)]).toEqual([7, 7]);
  expect([isInstance(7, data), isInstance(7, 7), isInstance(3, data)]).toEqual([true, true, false]);
  expect(ids.dataOfName({ instance: 7 })).toBe(7);
  expect(ids.dataOfName({ instance: 7, data })).toBe(data);
  expect(ids.instanceIn(table.objectEntity.key(data, 5, 9))).toBe(data);
});

test('keys of what belongs to an instance itself do not depend on its data id', () => {
  const keysOf = (id: number) => [
    table.instanceEntity.key(id),
    table.instanceMetadataEntity.key(id),
    table.configEntity.key(id),
    table.memberEntity.key(2, id),
    table.adminEntity.key(id, 2),
    table.apiKeyEntity.key(id, 2),
    table.invitationEntity.key(id, 2),
    table.invitedEntity.key(id, 'a@example.com'),
    table.instanceBackupEntity.key(id, 2),
    table.restoreEntity.key(id, 2),
    table.activeRestoreEntity.key(id),
    table.usageEntity.key(id, '2026-01-01T00'),
    instanceCounter(id, 'object'),
    ...ownPartitions(id),
  ];

  expect(keysOf(restoredData(7, 3))).toEqual(keysOf(7));
});

test('the partitions of the contents of an instance, the main one last', () => {
  expect(contentPartitions(7, 2)).toEqual([
    'INSTANCE#7#CLASS#1',
    'INSTANCE#7#UNIQUE#1',
    'INSTANCE#7#FILES#1',
    'INSTANCE#7#CLASS#2',
    'INSTANCE#7#UNIQUE#2',
    'INSTANCE#7#FILES#2',
    'INSTANCE#7#USERS',
    'INSTANCE#7#PASSWORDS',
    'INSTANCE#7#USERNAME',
    'INSTANCE#7#SOCIAL',
    'INSTANCE#7#RUNS',
    'INSTANCE#7#POLLS',
    'INSTANCE#7#CHANNELEVENTS',
    'INSTANCE#7#RUNQUEUES',
    'INSTANCE#7#TRIGGEREVENTS',
    'INSTANCE#7#DEADLETTERS',
    'INSTANCE#7#USERADDRESS',
    'INSTANCE#7#SESSIONS',
    'INSTANCE#7#GUESTS',
    'INSTANCE#7#USEDTOKENS',
    'INSTANCE#7#USERCODES',
    'INSTANCE#7#PUSHENDPOINTS#gcm',
    'INSTANCE#7#DEVICES#gcm',
    'INSTANCE#7#DEVICEROWS#gcm',
    'INSTANCE#7#PUSHES#gcm',
    'INSTANCE#7#PUSHPARTS#gcm',
    'INSTANCE#7#PUSHENDPOINTS#apns',
    'INSTANCE#7#DEVICES#apns',
    'INSTANCE#7#DEVICEROWS#apns',
    'INSTANCE#7#PUSHES#apns',
    'INSTANCE#7#PUSHPARTS#apns',
    'INSTANCE#7',
  ]);
});
