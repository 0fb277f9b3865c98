import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expected, plantUser } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

const types = ['string', 'integer', 'float', 'boolean', 'datetime'];
const list = 'classes/thing/objects/';
const taken = 'This field must be unique.';

beforeAll(async () => {
  await plantUser(world, 7);
});

beforeEach(async () => {
  await world.call(world.owner, 'DELETE', 'classes/thing/');
  await world.dataClass('thing', [
    ...types.map((type) => ({ name: type, type, unique: true })),
    { name: 'reference', type: 'reference', target: 'user', unique: true },
    { name: 'note', type: 'text' },
  ]);
});

const create = (values: object) => world.call(world.owner, 'POST', list, values);
async function make(values: object): Promise<string> {
  return expected(await create(values), 201).links.self;
}
const send = (method: string, path: string, body?: unknown) =>
  api.send({ as: world.owner, method, path, ...(body === undefined ? {} : { body }) });

describe('a unique value', () => {
  it.each<[string, unknown, unknown]>([
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
  ])('of a %s is taken: %j equals %j', async (field, value, same) => {
    await make({ [field]: value });
    const other = await make({});

    const created = await create({ [field]: same });
    const changed = await send('PATCH', other, { [field]: same });

    expect([created.status, created.body]).toEqual([400, { [field]: [taken] }]);
    expect([changed.status, changed.body]).toEqual([400, { [field]: [taken] }]);
  });

  it.each<[string, unknown, unknown]>([
    ['string', 'a', 'A'],
    ['string', 'a', 'a '],
    ['string', '\u0000', '\u0001'],
    ['string', '~', ''],
    ['string', '\u0001\u0001', '\u0000'],
    ['integer', 1, -1],
    ['boolean', true, false],
  ])('of a %s is different: %j is not %j', async (field, value, other) => {
    await make({ [field]: value });
    await make({ [field]: other });
  });

  it('may be kept: null by several objects, its own by each', async () => {
    await make({ string: null });
    const path = await make({ string: 'a', integer: 1 });
    await make({ string: null });

    const same = await send('PATCH', path, { string: 'a', integer: 1, note: 'x' });

    expect(same.status).toBe(200);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['another value', (path) => send('PATCH', path, { string: 'b' })],
    ['null', (path) => send('PATCH', path, { string: null })],
    ['removal', (path) => send('DELETE', path)],
  ])('is free after %s', async (_, release) => {
    const path = await make({ string: 'a' });

    await release(path);

    await make({ string: 'a' });
  });

  it('is kept after a write that fails', async () => {
    const path = await make({ string: 'a', integer: 1 });
    await make({ integer: 2 });

    const failed = await send('PATCH', path, { string: 'b', integer: 2 });

    expect([failed.status, failed.body]).toEqual([400, { integer: [taken] }]);
    expect((await create({ string: 'a' })).body).toEqual({ string: [taken] });
    expect((await send('GET', path)).body).toMatchObject({ string: 'a', integer: 1, revision: 1 });
    await make({ string: 'b' });
  });

  it('is not taken by an object that was rejected', async () => {
    await make({ integer: 1 });

    await create({ string: 'a', integer: 1 });
    await create({ string: 'a', reference: 99 });

    await make({ string: 'a' });
  });

  it('is changed by an operator', async () => {
    const path = await make({ integer: 1 });
    await make({ integer: 3 });

    const moved = await send('PATCH', path, { integer: { _increment: 1 } });
    const refused = await send('PATCH', path, { integer: { _increment: 1 } });

    expect(moved.body.integer).toBe(2);
    expect(refused.body).toEqual({ integer: [taken] });
    await make({ integer: 1 });
  });

  it('is limited to its class and its field', async () => {
    await world.call(world.owner, 'DELETE', 'classes/twin/');
    await world.dataClass('twin', [
      { name: 'string', type: 'string', unique: true },
      { name: 'other', type: 'string', unique: true },
    ]);
    await make({ string: 'a' });

    const first = await world.call(world.owner, 'POST', 'classes/twin/objects/', { string: 'a' });
    const second = await world.call(world.owner, 'POST', 'classes/twin/objects/', { other: 'a' });

    expect([first.status, second.status]).toEqual([201, 201]);
  });

  it('is reported after errors of other fields', async () => {
    await make({ string: 'a' });

    const response = await create({ string: 'a', integer: 'x' });

    expect(response.body).toEqual({ integer: ['A valid integer is required.'] });
  });

  it('is free in a field that was removed and added again', async () => {
    const path = await make({ string: 'a' });
    const change = (schema: readonly object[]) =>
      world.call(world.owner, 'PATCH', 'classes/thing/', { schema });
    await change([{ name: 'note', type: 'text' }]);
    await send('PATCH', path, { note: 'x' });
    await world.ready('thing');

    await change([{ name: 'string', type: 'string', unique: true }]);
    await world.ready('thing');

    const set = await send('PATCH', path, { string: 'a' });
    expect([set.status, (await create({ string: 'a' })).status]).toEqual([200, 400]);
  });

  it('is free when its field is no longer unique', async () => {
    await make({ string: 'a' });

    await world.call(world.owner, 'PATCH', 'classes/thing/', {
      schema: [{ name: 'string', type: 'string' }],
    });

    await make({ string: 'a' });
  });
});
