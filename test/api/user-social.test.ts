import { expect } from 'vitest';
import type { SocialProfile } from '../../shared/ports/social-verifier.ts';
import type { World } from '../support/api.ts';
import { openWorld } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest({ social: { facebook: verify, github: verify } }).extend(
  'given',
  { scope: 'file', auto: true },
  ({ world }) => setUp(world),
);

it('creates a user with the verified address as name, once', async ({
  world,
  given: { creating, bare },
}) => {
  const first = await logIn(world, creating, 'a1 new@example.com');
  const again = await logIn(world, bare, 'a1');
  const other = await logIn(world, bare, 'a1 new@example.com', 'github');

  expect([first.status, first.body.username]).toEqual([200, 'new@example.com']);
  expect(first.body.profile.owner).toBe(first.body.id);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(other.body.id).toBe(first.body.id);
});

it('returns the user whose name is the address', async ({ world, given: { bare } }) => {
  const body = { username: 'Known@example.com', password: 'p' };
  const { id } = await world.create('users/', body);

  const found = await logIn(world, bare, 'b1 known@example.com');

  expect([found.status, found.body.id]).toEqual([200, id]);
});

it('creates one user for concurrent log-ins', async ({ world, given: { creating } }) => {
  const responses = await Promise.all(
    [1, 2, 3, 4].map(() => logIn(world, creating, 'c1 raced@example.com')),
  );

  expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  expect(responses[0]?.status).toBe(200);
});

it('creates another user after the previous one was deleted', async ({
  world,
  given: { creating, bare },
}) => {
  const first = await logIn(world, creating, 'd1 leaver@example.com');
  await world.own('DELETE', `users/${first.body.id}/`);

  const second = await logIn(world, creating, 'd1 leaver@example.com');
  const third = await logIn(world, bare, 'd1');

  expect(second.status).toBe(200);
  expect(second.body.id).not.toBe(first.body.id);
  expect(third.body.id).toBe(second.body.id);
});

it('a user without password has no log-in by password', async ({
  world,
  given: { creating, bare },
}) => {
  await logIn(world, creating, 'e1 social@example.com');

  const { status, body } = await world.call(bare, 'POST', 'user/auth/', {
    username: 'social@example.com',
    password: 'x',
  });

  expect([status, body]).toEqual([401, { detail: 'Invalid password.' }]);
});

it('is bound to one instance', async ({ api, world, given: { creating } }) => {
  await logIn(world, creating, 'f1 here@example.com');
  const other = await openWorld(api, 'shop-1');

  const response = await other.own('POST', 'user/auth/facebook/', {
    access_token: 'f1',
  });

  expect(response.status).toBe(400);
});

it.for<[string, (given: Given) => string, string | undefined, string, number, string]>([
  [
    'a bad token',
    ({ creating }: Given) => creating,
    'bad',
    'facebook',
    401,
    'Invalid authorization token.',
  ],
  [
    'no token',
    ({ creating }: Given) => creating,
    undefined,
    'facebook',
    401,
    'Invalid authorization token.',
  ],
  [
    'a service that is gone',
    ({ creating }: Given) => creating,
    'x',
    'twitter',
    401,
    'Invalid authorization token.',
  ],
  [
    'a service that is off',
    ({ creating }: Given) => creating,
    'x',
    'google-oauth2',
    400,
    'Unsupported social backend.',
  ],
  [
    'another service',
    ({ creating }: Given) => creating,
    'x',
    'nobody',
    400,
    'Unsupported social backend.',
  ],
  [
    'no address',
    ({ creating }: Given) => creating,
    'z1',
    'facebook',
    400,
    'Invalid social scope, missing email.',
  ],
  [
    'a key that may create no user',
    ({ bare }: Given) => bare,
    'y1 stranger@example.com',
    'facebook',
    403,
    'You do not have permission to create new user.',
  ],
])('rejects %s', async ([_, as, token, backend, status, detail], { given, world }) => {
  const refused = await logIn(world, as(given), token, backend);

  expect([refused.status, refused.body]).toEqual([status, { detail }]);
});

async function setUp(world: World) {
  const creating = await world.apiKey({ allow_user_create: true });
  const bare = await world.apiKey();
  return { creating, bare };
}

type Given = Awaited<ReturnType<typeof setUp>>;

/** A token is `<id>`, or `<id> <e-mail>`; `bad` is invalid. */
async function verify(token: string): Promise<SocialProfile | undefined> {
  const [id = '', email] = token.split(' ');
  return id === 'bad' ? undefined : { id, email, first_name: '', last_name: '' };
}

const logIn = (world: World, as: string, access_token?: string, backend = 'facebook') =>
  world.call(as, 'POST', `user/auth/${backend}/`, { access_token });
