import { hash } from 'bcryptjs';
import { expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const test = worldTest();

const badHash = 'Not a password hash of an export, or one that is too costly for this server.';

test('a user with a hash of bcrypt logs in, and then has one of scrypt', async ({ world }) => {
  const text = await hash('s\u00e9cret', 4);
  expected(await importUser(world, 1001, text), 200);
  const logIn = (password: string) =>
    world.own('POST', 'user/auth/', { username: 'user1001', password });

  const wrong = await logIn('secret');
  const afterWrong = await storedHash(world, 1001);
  const right = await logIn('s\u00e9cret');
  const afterRight = await storedHash(world, 1001);
  const again = await logIn('s\u00e9cret');

  expect([wrong.status, right.status, again.status]).toEqual([401, 200, 200]);
  expect([afterWrong, afterRight]).toEqual([text, expect.stringMatching(/^scrypt\$/)]);
  expect((await logIn('secret')).status).toBe(401);
});

test.for([
  ['a cost above 12', '$2a$13$'],
  ['a cost below 4', '$2a$03$'],
  ['another version', '$2x$10$'],
])('a hash of bcrypt with %s is an error', async ([_, start], { world }) => {
  const text = `${start}N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy`;

  const response = await importUser(world, 1002, text);

  expect(response).toMatchObject({
    status: 400,
    body: { records: { 0: { password: [badHash] } } },
  });
});

async function importUser(world: World, id: number, password: string) {
  const username = `user${id}`;
  const record = { id, username, password, profile: id };
  const body = { kind: 'users', records: [record] };
  const users = await world.own('POST', 'import/', body);
  if (users.status !== 200) return users;
  const moment = '2020-01-02T03:04:05.000006Z';
  const profile = { id, created_at: moment, updated_at: moment, revision: 1, owner: id };
  const profiles = { kind: 'objects', class: 'user_profile', records: [profile] };
  expected(await world.own('POST', 'import/', profiles), 200);
  return users;
}

async function storedHash(world: World, id: number): Promise<string> {
  const path = 'export/?kind=users&page_size=100';
  const { objects } = await world.read(path);
  return objects.find((each: { id: number }) => each.id === id).password;
}
