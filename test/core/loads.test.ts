import { describe, expect, test } from 'vitest';
import { loadedOperations } from '../../shared/core/resource/loads/loaded-operations.ts';
import {
  loadsFor,
  lookup,
  lookupsIn,
  onlyFor,
  recordAt,
  requiredLoad,
  requireLoaded,
} from '../../shared/core/resource/loads/loads.ts';
import { createCaches } from '../../shared/core/routing/caches.ts';
import type { Known } from '../../shared/core/routing/known.ts';
import { createRouter } from '../../shared/core/routing/router.ts';
import type { Stored } from '../../shared/store/store.ts';
import { classEntity, objectEntity } from '../../shared/table/entities/classes.ts';
import { dataEndpointEntity } from '../../shared/table/entities/endpoints.ts';
import { configEntity } from '../../shared/table/entities/instances.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { DataEndpointData } from '../../shared/table/records/records.ts';
import { notFound } from '../../shared/values/errors/errors.ts';

/* Records that routes declare: their keys, and which operations load them. */

const nothing: Known = {
  params: {},
  account: undefined,
  instance: undefined,
  link: undefined,
  given: new Map(),
};
const inInstance: Known = { ...nothing, instance: 7, params: { id: 3, endpoint: 'books' } };

const endpoint = lookup(
  recordAt(dataEndpointEntity, ['instance', '{endpoint}']),
  ({ class: name, classNumber: number }) => ({ name, number }),
);
const place = recordAt(classEntity, ['instance', endpoint], (instance, { name }) =>
  classEntity.key(instance, name),
);

describe('the key of a record', () => {
  test('is made of the values that it names', () => {
    expect(recordAt(userEntity, ['instance', '{id}']).key(inInstance)).toEqual(
      userEntity.key(7, 3),
    );
  });

  test('has a parameter that only its path declares, which is a name', () => {
    const { params } = createRouter([{ paths: { v1: '/{widget}/' } }])('/v1/Big/') ?? nothing;
    const record = recordAt(configEntity, ['{widget}'], (widget) => ({ pk: widget, sk: 'A' }));

    expect(record.key({ ...nothing, params })).toEqual({ pk: 'big', sk: 'A' });
  });

  test.each([
    ['without its instance', { ...inInstance, instance: undefined }],
    ['without a parameter of its path', { ...inInstance, params: {} }],
  ])('is not made %s', (_, known) => {
    const record = recordAt(userEntity, ['instance', '{id}'], () => {
      throw new Error('a value is missing');
    });

    expect(record.key(known)).toBeUndefined();
  });

  test('is made of the value of a lookup, once it is given', () => {
    const given = new Map([[endpoint.gives, { name: 'book', number: 2 }]]);

    expect([place.key(inInstance), place.key({ ...inInstance, given })]).toEqual([
      undefined,
      classEntity.key(7, 'book'),
    ]);
  });

  test('has values of the types that its entity needs', () => {
    // @ts-expect-error the name of a class is no id
    recordAt(userEntity, ['instance', '{class}']);
    // @ts-expect-error an id is missing
    recordAt(userEntity, ['instance']);
    // @ts-expect-error the lookup gives more than a number
    recordAt(objectEntity, ['instance', endpoint, '{id}']);

    expect(recordAt(userEntity, ['instance', '{member}']).entity).toBe(userEntity);
  });
});

const stored: Stored<DataEndpointData> = {
  key: dataEndpointEntity.key(7, 'books'),
  kind: dataEndpointEntity.kind,
  version: '1',
  data: { class: 'book', classNumber: 2 } as DataEndpointData,
};

describe('what a load takes', () => {
  test('is the record of its entity, or undefined', () => {
    expect([endpoint.take(stored, inInstance), endpoint.take(undefined, inInstance)]).toEqual([
      stored,
      undefined,
    ]);
    expect(() => place.take(stored, inInstance)).toThrow('found data-endpoint where class belongs');
  });

  test('gives the value of its record, and has a cache of its own', () => {
    const caches = createCaches({ address: () => '' });
    endpoint.gives.cache(caches).set(stored.key, { name: 'book', number: 1 });
    const other = lookup(recordAt(configEntity, ['instance']), () => 1);

    expect(endpoint.gives.value(stored)).toEqual({ name: 'book', number: 2 });
    expect(other.gives.cache(caches).get(stored.key)).toBeUndefined();
  });
});

describe('loads of a route', () => {
  const loads = {
    endpoint: requiredLoad(endpoint, notFound),
    config: onlyFor(['U'], recordAt(configEntity, ['instance'])),
    user: recordAt(userEntity, ['instance', '{id}']),
  };
  const names = (each: readonly { readonly name: string }[]) => each.map(({ name }) => name);

  test('belong to all methods where they are lookups, else to operations by their rights', () => {
    expect(names(lookupsIn(loads))).toEqual(['endpoint']);
    expect([names(loadsFor(loads, 'G')), names(loadsFor(loads, 'U'))]).toEqual([
      ['user'],
      ['config', 'user'],
    ]);
  });

  test('are an error where a required one is absent', () => {
    const lookups = lookupsIn(loads);

    expect(() => requireLoaded(lookups, { endpoint: undefined })).toThrow(notFound().message);
    expect(() => requireLoaded(lookups, { endpoint: stored })).not.toThrow();
    expect(() => requireLoaded(loadsFor(loads, 'U'), {})).not.toThrow();
  });

  test('include for a read those that the rules of a write need, as descriptions apply these', () => {
    const run = () => Promise.resolve({ status: 200 });
    const authorize = () => undefined;
    const read = { right: 'G', run } as const;
    const write = { right: 'U', run } as const;
    const problem = 'records that GET does not load';

    expect(() => loadedOperations(loads, { GET: read, PUT: { ...write, authorize } })).toThrow(
      problem,
    );
    expect(() => loadedOperations({ user: loads.user }, { POST: { ...write, authorize } })).toThrow(
      problem,
    );
    expect(() => loadedOperations(loads, { GET: read, PUT: write })).not.toThrow();
    expect(() =>
      loadedOperations(
        { ...loads, config: loads.user },
        { GET: read, PUT: { ...write, authorize } },
      ),
    ).not.toThrow();
  });
});
