import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected, plantUser } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const types = ['string', 'integer', 'float', 'boolean', 'datetime'];
const taken = 'This field must be unique.';

it.beforeEach(async ({ world }) => {
  await world.own('DELETE', 'classes/thing/');
  await world.dataClass('thing', [
    ...types.map((type) => ({ name: type, type, unique: true })),
    { name: 'reference', type: 'reference', target: 'user', unique: true },
    { name: 'note', type: 'text' },
  ]);
});

describe('a unique value', () => {
  it.for<[string, unknown, unknown]>([
    ['string', 'a', 'a'],
    ['string', '', ''],
    ['string', '5', 5],
    ['string', '\u0000\u0001', '\u0000\u0001'],
    ['string', '😀'.repeat(128), '😀'.repeat(128)],
    ['integer', 1, '1.0'],
    ['float', 1, 1.0],
    ['float', 0, -0],
    ['float', 0.1, '1e-1'],
    ['boolean', true, 'on'],
    ['datetime', '2001-05-06T07:08:09.1Z', '2001-05-06T07:08:09.100000Z'],
    ['reference', 7, { type: 'reference', target: 'user', value: 7 }],
  ])('of a %s is taken: %j equals %j', async ([field, value, same], { world }) => {
    await make(world, { [field]: value });
    const other = await make(world, {});

    const created = await create(world, { [field]: same });
    const changed = await send(world, 'PATCH', other, { [field]: same });

    expect([created.status, created.body]).toEqual([400, { [field]: [taken] }]);
    expect([changed.status, changed.body]).toEqual([400, { [field]: [taken] }]);
  });

  it.for<[string, unknown, unknown]>([
    ['string', 'a', 'A'],
    ['string', 'a', 'a '],
    ['string', '\u0000', '\u0001'],
    ['string', '~', ''],
    ['string', '\u0001\u0001', '\u0000'],
    ['integer', 1, -1],
    ['boolean', true, false],
  ])('of a %s is different: %j is not %j', async ([field, value, other], { world }) => {
    await make(world, { [field]: value });
    await make(world, { [field]: other });
  });

  it('may be kept: null by several objects, its own by each', async ({ world }) => {
    await make(world, { string: null });
    const path = await make(world, { string: 'a', integer: 1 });
    await make(world, { string: null });

    const same = await send(world, 'PATCH', path, { string: 'a', integer: 1, note: 'x' });

    expect(same.status).toBe(200);
  });

  it.for<[string, (world: World, path: string) => Promise<unknown>]>([
    ['another value', (world: World, path) => send(world, 'PATCH', path, { string: 'b' })],
    ['null', (world: World, path) => send(world, 'PATCH', path, { string: null })],
    ['removal', (world: World, path) => send(world, 'DELETE', path)],
  ])('is free after %s', async ([_, release], { world }) => {
    const path = await make(world, { string: 'a' });

    await release(world, path);

    await make(world, { string: 'a' });
  });

  it('is kept after a write that fails', async ({ world }) => {
    const path = await make(world, { string: 'a', integer: 1 });
    await make(world, { integer: 2 });

    const failed = await send(world, 'PATCH', path, { string: 'b', integer: 2 });

    expect([failed.status, failed.body]).toEqual([400, { integer: [taken] }]);
    expect((await create(world, { string: 'a' })).body).toEqual({ string: [taken] });
    expect((await send(world, 'GET', path)).body).toMatchObject({
      string: 'a',
      integer: 1,
      revision: 1,
    });
    await make(world, { string: 'b' });
  });

  it('is not taken by an object that was rejected', async ({ world }) => {
    await make(world, { integer: 1 });

    await create(world, { string: 'a', integer: 1 });
    await create(world, { string: 'a', reference: 99 });

    await make(world, { string: 'a' });
  });

  it('is changed by an operator', async ({ world }) => {
    const path = await make(world, { integer: 1 });
    await make(world, { integer: 3 });

    const moved = await send(world, 'PATCH', path, { integer: { _increment: 1 } });
    const refused = await send(world, 'PATCH', path, { integer: { _increment: 1 } });

    expect(moved.body.integer).toBe(2);
    expect(refused.body).toEqual({ integer: [taken] });
    await make(world, { integer: 1 });
  });

  it('is limited to its class and its field', async ({ world }) => {
    await world.own('DELETE', 'classes/twin/');
    await world.dataClass('twin', [
      { name: 'string', type: 'string', unique: true },
      { name: 'other', type: 'string', unique: true },
    ]);
    await make(world, { string: 'a' });

    const first = await world.own('POST', 'classes/twin/objects/', { string: 'a' });
    const second = await world.own('POST', 'classes/twin/objects/', { other: 'a' });

    expect([first.status, second.status]).toEqual([201, 201]);
  });

  it('is reported after errors of other fields', async ({ world }) => {
    await make(world, { string: 'a' });

    const response = await create(world, { string: 'a', integer: 'x' });

    expect(response.body).toEqual({ integer: ['A valid integer is required.'] });
  });

  it('is free in a field that was removed and added again', async ({ world }) => {
    const path = await make(world, { string: 'a' });
    const change = (schema: readonly object[]) => world.own('PATCH', 'classes/thing/', { schema });
    await change([{ name: 'note', type: 'text' }]);
    await send(world, 'PATCH', path, { note: 'x' });
    await world.ready('thing');

    await change([{ name: 'string', type: 'string', unique: true }]);
    await world.ready('thing');

    const set = await send(world, 'PATCH', path, { string: 'a' });
    expect([set.status, (await create(world, { string: 'a' })).status]).toEqual([200, 400]);
  });

  it('is free when its field is no longer unique', async ({ world }) => {
    await make(world, { string: 'a' });

    await world.own('PATCH', 'classes/thing/', {
      schema: [{ name: 'string', type: 'string' }],
    });

    await make(world, { string: 'a' });
  });
});

async function setUp(world: World) {
  await plantUser(world, 7);
}

const list = 'classes/thing/objects/';

const create = (world: World, values: object) => world.own('POST', list, values);

async function make(world: World, values: object): Promise<string> {
  return expected(await create(world, values), 201).links.self;
}

const send = (world: World, method: string, path: string, body?: unknown) =>
  world.api.send({ as: world.owner, method, path, ...(body === undefined ? {} : { body }) });
