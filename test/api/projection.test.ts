import { describe, expect } from 'vitest';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

it.beforeAll(async ({ world }) => {
  await world.apiKey();
});

const instance = '/v1.1/instances/blog-1/';
const whole = 'name description owner created_at updated_at role location metadata links'.split(
  ' ',
);
const without = (...names: string[]) => whole.filter((name) => !names.includes(name));

describe('a response has only the projected fields', () => {
  it.for([
    ['fields=name', ['name']],
    ['fields=name,role', ['name', 'role']],
    ['excluded_fields=links,owner', without('links', 'owner')],
    ['fields=name,role&excluded_fields=role', ['name']],
    ['fields=nothing', []],
    ['excluded_fields=nothing', whole],
    ['fields=', whole],
    ['fields=&excluded_fields=', whole],
    ['fields=name, role', ['name']],
    ['fields=role&fields=name', ['name']],
    ['fields=__proto__,constructor', []],
    [`fields=${'x,'.repeat(64)}name`, ['name']],
    [`fields=${'x,'.repeat(65)}name`, []],
  ] as const)('?%s', async ([query, names], { api, world }) => {
    const { body } = await api.send({ as: world.owner, path: `${instance}?${query}` });

    expect(Object.keys(body).sort()).toEqual([...names].sort());
  });

  it.for([
    ['fields=name,owner', { name: 'blog-1', owner: {} }],
    [
      'fields=owner,email,is_active',
      { owner: { email: 'owner-of-blog-1@example.com', is_active: false } },
    ],
    [
      'excluded_fields=links,created_at,updated_at,email,id,metadata',
      {
        name: 'blog-1',
        description: '',
        role: 'full',
        location: 'local',
        owner: { first_name: '', last_name: '', is_active: false, has_password: true },
      },
    ],
  ])('inside the owner too: ?%s', async ([query, response], { api, world }) => {
    const { body } = await api.send({ as: world.owner, path: `${instance}?${query}` });

    expect(body).toEqual(response);
  });

  it('in every object of a list, with the whole envelope', async ({ api, world }) => {
    const { body } = await api.send({ as: world.owner, path: `${instance}api_keys/?fields=id` });

    expect(body).toEqual({ next: null, prev: null, objects: [{ id: 1 }] });
  });

  it('on the account', async ({ api, world }) => {
    const path = '/v1.1/account/?fields=email,links';

    const { body } = await api.send({ as: world.owner, path });

    expect(body).toEqual({ email: 'owner-of-blog-1@example.com' });
  });
});

describe('a write returns all fields', () => {
  it.for(['PUT', 'PATCH'])('%s', async (method, { api, world }) => {
    const path = `${instance}?fields=name`;

    const { body } = await api.send({ as: world.owner, method, path, body: {} });

    expect(Object.keys(body).sort()).toEqual([...whole].sort());
  });

  it('POST', async ({ world }) => {
    const response = await world.call(world.owner, 'POST', 'api_keys/?excluded_fields=id', {});

    expect(expected(response, 201)).toHaveProperty('id');
  });
});
