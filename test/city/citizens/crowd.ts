import type { Citizen, Life } from '../citizen.ts';

const password = 'a password';

interface User {
  readonly id: number;
  readonly name: string;
  /** Absent after an interrupted reset or a move, when only a login returns it. */
  key: string | undefined;
}

interface Place {
  readonly objects: string;
  readonly group: number;
  /** API key of an app, without flags. */
  app: string;
}

/** Users who register, log in, own objects, join and leave groups, lose their keys and are deleted. */
export const crowd: Citizen = {
  name: 'crowd',
  homes: ['medium', 'large'],
  settle: async (life) => {
    const place = await preparePlace(life);
    const users: User[] = [];
    const random = () => life.random.pick(users);
    const acts = [
      () => member(life, place, random()),
      () => owner(life, place, random()),
      () => login(life, place, random()),
      () => resetKey(life, place, random()),
    ];
    return {
      act: async () => {
        if (users.length < 5) users.push(await signUp(life, users.length));
        else if (users.length > 3 && life.random.chance(0.1)) await leave(life, place, users.pop());
        else await life.random.pick(acts)();
      },
      verify: async () => {
        for (const user of users) await login(life, place, user);
      },
      arrive: async () => {
        place.app = await makeApp(life);
        for (const user of users) {
          user.key = undefined;
          await login(life, place, user);
        }
      },
    };
  },
};

function asUser(app: string, key: string | undefined) {
  return { key: app, ...(key !== undefined && { userKey: key }) };
}

async function preparePlace(life: Life): Promise<Place> {
  const { client, home, prefix } = life;
  const as = { key: home.accountKey };
  const name = `${prefix}_letters`;
  const schema = [{ name: 'text', type: 'string' }];
  const body = { name, schema, other_permissions: 'create_objects' };
  await client.expect({ ...as, path: `${home.base}classes/`, body }, 201);
  const label = `readers ${home.mark}`;
  const group = await client.expect({ ...as, path: `${home.base}groups/`, body: { label } }, 201);
  const objects = `${home.base}classes/${name}/objects/`;
  return { objects, group: group.body.id, app: await makeApp(life) };
}

async function makeApp({ client, home }: Life): Promise<string> {
  const call = { path: `${home.base}api_keys/`, key: home.accountKey, body: {} };
  return (await client.expect(call, 201)).body.api_key;
}

async function signUp({ client, home, random, prefix }: Life, count: number): Promise<User> {
  const name = `${prefix}-${random.word(10)}-${count}`;
  const body = { username: name, password, profile: {} };
  const call = { path: `${home.base}users/`, key: home.apiKey, body };
  const made = await client.expect(call, 201);
  return { id: made.body.id, name, key: made.body.user_key };
}

/** Checks that a user's key shows this user and no other. */
async function self({ client, home }: Life, { app }: Place, user: User): Promise<void> {
  const call = { path: `${home.base}user/`, ...asUser(app, user.key) };
  const response = await client.expect(call, 200);
  if (response.body.id !== user.id) client.fail(call, response, `expected user ${user.id}`);
}

async function login(life: Life, place: Place, user: User): Promise<void> {
  const { client, home } = life;
  const body = { username: user.name, password };
  const call = { path: `${home.base}user/auth/`, key: place.app, body };
  const response = await client.expect(call, 200);
  user.key ??= response.body.user_key;
  if (response.body.user_key !== user.key) client.fail(call, response, 'another key');
  await self(life, place, user);
}

/** Checks that a user's object is visible to its owner only. */
async function owner({ client, home }: Life, { objects, app }: Place, user: User): Promise<void> {
  const as = asUser(app, user.key);
  const made = await client.expect({ ...as, path: objects, body: { text: home.mark } }, 201);
  const path = `${objects}${made.body.id}/`;
  if (made.body.owner !== user.id) client.broken(`POST ${objects}: owner ${made.body.owner}`);
  await client.expect({ ...as, path }, 200);
  await client.expect({ key: app, path }, 403);
  await client.expect({ ...as, method: 'DELETE', path }, 204);
  await client.expect({ ...as, path }, 404);
}

/** Checks that members have the group's permissions from the next request on until they leave it. */
async function member(life: Life, place: Place, user: User): Promise<void> {
  const { client, home } = life;
  const admin = { key: home.accountKey };
  const as = asUser(place.app, user.key);
  const members = `${home.base}groups/${place.group}/users/`;
  const body = { text: home.mark, group: place.group, group_permissions: 'read' };
  const made = await client.expect({ ...admin, path: place.objects, body }, 201);
  const path = `${place.objects}${made.body.id}/`;
  await client.expect({ ...admin, method: 'DELETE', path: `${members}${user.id}/` }, 204, 404);
  await client.expect({ ...as, path }, 404);
  await client.expect({ ...admin, path: members, body: { user: user.id } }, 201);
  await client.expect({ ...as, path }, 200);
  await client.expect({ ...admin, method: 'DELETE', path: `${members}${user.id}/` }, 204);
  await client.expect({ ...as, path }, 404);
  await client.expect({ ...admin, method: 'DELETE', path }, 204);
}

async function resetKey(life: Life, place: Place, user: User): Promise<void> {
  const { client, home } = life;
  const path = `${home.base}users/${user.id}/reset_key/`;
  const old = user.key;
  user.key = undefined;
  const response = await client.expect({ method: 'POST', path, key: home.accountKey }, 200);
  user.key = response.body.user_key;
  await self(life, place, user);
  // an invalid user key is ignored
  await client.expect({ path: `${home.base}user/`, ...asUser(place.app, old) }, 403);
}

async function leave({ client, home }: Life, { app }: Place, user?: User): Promise<void> {
  if (user === undefined) return;
  const path = `${home.base}users/${user.id}/`;
  await client.expect({ method: 'DELETE', path, key: home.apiKey }, 204);
  await client.expect({ path, key: home.apiKey }, 404);
  await client.expect({ path: `${home.base}user/`, ...asUser(app, user.key) }, 403);
}
