import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { setUpCode } from '../../shared/accounts/keys.ts';
import {
  type Api,
  type ApiResponse,
  expected,
  openWorld,
  startApi,
  type World,
} from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { mailsTo } from '../support/mails.ts';
import {
  column,
  isNull,
  missing,
  newKey,
  noSuchKey,
  type Rejection,
  required,
  taken,
  time,
} from '../support/responses.ts';
import { type WatchedStore, watch } from '../support/watched-store.ts';

let store: WatchedStore;
let world: World;
let count = 0;
/** An unused address. */
let address: string;

useApi({
  wrap: (inner) => {
    store = watch(inner);
    return store;
  },
});
beforeEach(async () => {
  count += 1;
  address = `guest-${count}@example.com`;
  world = await openWorld(api, `house-${count}`);
});

const notFound = { invitation_key: 'Invitation not found.' };
const mine = '/v1.1/account/invitations/';

const post = (body: unknown): Promise<ApiResponse> =>
  world.call(world.owner, 'POST', 'invitations/', body);

interface Invitation {
  readonly id: number;
  readonly key: string;
  readonly [field: string]: unknown;
}

async function invite(more: object = {}): Promise<Invitation> {
  return expected(await post({ email: address, ...more }), 201);
}

const accept = (as: string, invitation_key: unknown): Promise<ApiResponse> =>
  api.send({ as, path: `${mine}accept/`, body: { invitation_key } });

/** Returns the listed ids, and the statuses of a read and a decline, of an account. */
async function seenBy(as: string, { id }: Invitation) {
  const list = await api.send({ as, path: mine });
  const read = await api.send({ as, path: `${mine}${id}/` });
  const decline = await api.send({ as, method: 'DELETE', path: `${mine}${id}/` });
  return [column(list, 'id'), read.status, decline.status];
}

const roleIn = async (as: string): Promise<unknown> => (await world.call(as, 'GET', '')).body.role;

const stateOf = async ({ id }: Invitation): Promise<unknown> =>
  (await world.call(world.owner, 'GET', `invitations/${id}/`)).body.state;

describe('an invitation', () => {
  it('is returned whole, the address in lower case, and mailed', async () => {
    const response = await post({
      email: ` Guest-${count}@Example.COM `,
      role: 'read',
      state: 'accepted',
      id: 7,
      key: 'x',
      inviter: 'y',
    });

    const { id } = response.body;
    const self = `${world.base}invitations/${id}/`;
    expect([response.status, response.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        email: address,
        role: 'read',
        key: newKey,
        inviter: `owner-of-${world.instance}@example.com`,
        created_at: time,
        updated_at: time,
        state: 'new',
        links: { self, resend: `${self}resend/` },
      },
    ]);
    const [mail, ...others] = mailsTo(api, address);
    expect(mail?.text).toContain(`\n${response.body.key}\n`);
    expect(mail?.subject).toBe(`You are invited to ${world.instance}`);
    expect(others).toEqual([]);
  });

  it.each([
    [{}, 'full'],
    [{ role: 'write' }, 'write'],
    [{ role: 2 }, 'write'],
  ])('with %j has the role %s', async (more, role) => {
    expect((await invite(more)).role).toBe(role);
  });

  it('is read and listed as it was returned', async () => {
    const made = await invite();

    const read = await world.call(world.owner, 'GET', `invitations/${made.id}/`);
    const list = await world.call(world.owner, 'GET', 'invitations/');

    expect(read.body).toEqual(made);
    expect(list.body).toEqual({ next: null, prev: null, objects: [made] });
  });

  it('is listed by id, in pages', async () => {
    const ids = [];
    for (const name of ['c', 'a', 'b']) ids.push((await invite({ email: `${name}@x.org` })).id);

    const first = await world.call(world.owner, 'GET', 'invitations/?page_size=2');
    const second = await api.send({ as: world.owner, path: first.body.next });

    const seen = [...first.body.objects, ...second.body.objects];
    expect(seen.map(({ id }) => id)).toEqual(ids);
    expect(first.body.next).toBe(
      `${world.base}invitations/?page_size=2&direction=1&last_pk=${ids[1]}`,
    );
  });

  it.each([
    ['PATCH', { role: 3 }, 'read'],
    ['PATCH', {}, 'write'],
    ['PUT', { role: 'read' }, 'read'],
    ['PUT', {}, 'full'],
  ])('%s %j changes only its role, to %s', async (method, body, role) => {
    const made = await invite({ role: 'write' });

    const sent = { ...body, email: 'other@example.com', state: 'accepted', key: 'x' };
    const response = await world.call(world.owner, method, `invitations/${made.id}/`, sent);

    expect([response.status, response.body]).toEqual([200, { ...made, role, updated_at: time }]);
    expect(response.body.updated_at > response.body.created_at).toBe(true);
  });

  it('grants the role that it has when it is accepted', async () => {
    const made = await invite({ role: 'full' });
    const guest = await world.account(address);
    await world.call(world.owner, 'PATCH', `invitations/${made.id}/`, { role: 'read' });

    await accept(guest, made.key);

    expect(await roleIn(guest)).toBe('read');
  });

  it('that is deleted does not exist, and its key is invalid', async () => {
    const guest = await world.account(address);
    const made = await invite();
    const at = `invitations/${made.id}/`;

    const removed = await world.call(world.owner, 'DELETE', at);
    const again = await world.call(world.owner, 'DELETE', at);
    const read = await world.call(world.owner, 'GET', at);
    const listed = await api.send({ as: guest, path: mine });
    const accepted = await accept(guest, made.key);

    expect([removed.status, removed.body]).toEqual([204, '']);
    expect([again.status, again.body, read.status]).toEqual([404, missing, 404]);
    expect(listed.body.objects).toEqual([]);
    expect([accepted.status, accepted.body]).toEqual([400, notFound]);
  });

  it('may be created again after it was deleted', async () => {
    const made = await invite();
    await world.call(world.owner, 'DELETE', `invitations/${made.id}/`);

    const again = await invite();

    expect(again.id).toBeGreaterThan(made.id);
    expect(again.key).not.toBe(made.key);
  });

  it('is mailed once more while it is new, and not afterwards', async () => {
    const guest = await world.account(address);
    const made = await invite();
    const before = mailsTo(api, address).length;
    const resend = () => world.call(world.owner, 'POST', `invitations/${made.id}/resend/`);

    const first = await resend();
    const between = mailsTo(api, address).length;
    await accept(guest, made.key);
    const second = await resend();

    expect([first.status, first.body, second.status, second.body]).toEqual([204, '', 204, '']);
    expect([between, mailsTo(api, address).length]).toEqual([before + 1, before + 1]);
    expect(mailsTo(api, address).at(-1)?.text).toContain(made.key);
  });
});

describe('an invitation is rejected', () => {
  describe('with', () => {
    it.each<Rejection>([
      ['nothing', {}, { email: required }],
      ['null', { email: null }, { email: isNull }],
      [
        'a role that is none, and no address',
        { email: 'x', role: 'furry' },
        { email: ['Enter a valid email address.'], role: ['"furry" is not a valid choice.'] },
      ],
    ])('%s', async (_, sent, errors) => {
      const { status, body } = await post(sent);
      expect({ status, body }).toEqual({ status: 400, body: errors });
    });
  });

  const open = { detail: 'Admin with specified Email already has an invitation created.' };
  const member = { email: 'Admin with specified Email is already a part of this Instance.' };

  it('for an address that has an open one', async () => {
    const made = await invite();

    const response = await post({ email: address.toUpperCase(), role: 'read' });

    expect([response.status, response.body]).toEqual([400, open]);
    const list = await world.call(world.owner, 'GET', 'invitations/');
    expect(list.body.objects).toEqual([made]);
  });

  it('for the owner and for members', async () => {
    const guest = await world.account(address);
    await accept(guest, (await invite()).key);

    const answers = [
      await post({ email: address }),
      await post({ email: `owner-of-${world.instance}@example.com` }),
    ];

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, member],
      [400, member],
    ]);
  });

  it('for all but one of several concurrent requests', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => post({ email: address })));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const { status, body } of answers) if (status === 400) expect(body).toEqual(open);
    const list = await world.call(world.owner, 'GET', 'invitations/');
    expect(list.body.objects).toHaveLength(1);
    expect(mailsTo(api, address)).toHaveLength(1);
  });
});

describe('an invitation that was declined or accepted', () => {
  it.each(['declined', 'accepted'])('is replaced with a new one: %s', async (state) => {
    const guest = await world.account(address);
    const old = await invite();
    if (state === 'declined') {
      expected(await api.send({ as: guest, method: 'DELETE', path: `${mine}${old.id}/` }), 204);
    } else {
      expected(await accept(guest, old.key), 204);
      const { id } = expected(await api.send({ as: guest, path: '/v1.1/account/' }), 200);
      expected(await world.call(guest, 'DELETE', `admins/${id}/`), 204);
    }
    expect(await stateOf(old)).toBe(state);

    const made = await invite({ role: 'read' });

    const list = await world.call(world.owner, 'GET', 'invitations/');
    const seen = await api.send({ as: guest, path: mine });
    expect(made.id).toBeGreaterThan(old.id);
    expect(list.body.objects).toEqual([made]);
    expect(column(seen, 'id')).toEqual([made.id]);
    expect((await accept(guest, old.key)).body).toEqual(notFound);
    expect((await accept(guest, made.key)).status).toBe(204);
    expect(await roleIn(guest)).toBe('read');
  });
});

describe('the invited account', () => {
  it('sees its invitation, whole whatever fields are requested', async () => {
    const guest = await world.account(address);
    const { links: _, ...made } = await invite({ role: 'write' });

    const list = await api.send({ as: guest, path: `${mine}?fields=id` });
    const one = await api.send({ as: guest, path: `${mine}${made.id}/?excluded_fields=key` });

    const shown = {
      ...made,
      instance: world.instance,
      links: { self: `${mine}${made.id}/`, instance: world.base },
    };
    expect(list.body).toEqual({ next: null, prev: null, objects: [shown] });
    expect(one.body).toEqual(shown);
  });

  it('sees those of all instances in the order of ids, open ones only, in pages', async () => {
    const guest = await world.account(address);
    const ids = [(await invite()).id];
    for (const more of ['b', 'c', 'd']) {
      world = await openWorld(api, `house-${count}-${more}`);
      ids.push((await invite()).id);
    }
    await api.send({ as: guest, method: 'DELETE', path: `${mine}${ids[1]}/` });
    await api.send({ as: world.owner, method: 'DELETE', path: world.base });

    const pages: number[][] = [];
    for (let path = `${mine}?page_size=1`; path !== null && pages.length < 4; ) {
      const { body } = await api.send({ as: guest, path });
      pages.push(body.objects.map((o: Invitation) => o.id));
      path = body.next;
    }

    expect(pages.slice(0, 2)).toEqual([[ids[0]], [ids[2]]]);
    expect(pages.slice(2).flat()).toEqual([]); // where the index still contains the deleted instance
  });

  it('sees the current name of the instance', async () => {
    const guest = await world.account(address);
    await invite();
    await world.call(world.owner, 'POST', 'rename/', { new_name: `moved-${count}` });

    const { body } = await api.send({ as: guest, path: mine });

    expect(body.objects[0]).toMatchObject({
      instance: `moved-${count}`,
      links: { instance: `/v1.1/instances/moved-${count}/` },
    });
  });

  it('declines: it is no longer listed, and its key is invalid', async () => {
    const guest = await world.account(address);
    const made = await invite();
    const path = `${mine}${made.id}/`;

    const declined = await api.send({ as: guest, method: 'DELETE', path });
    const twice = await api.send({ as: guest, method: 'DELETE', path });
    const read = await api.send({ as: guest, path });
    const list = await api.send({ as: guest, path: mine });
    const accepted = await accept(guest, made.key);

    expect([declined.status, declined.body]).toEqual([204, '']);
    expect([twice.status, twice.body, read.status, list.body.objects]).toEqual([
      404,
      missing,
      404,
      [],
    ]);
    expect([accepted.status, accepted.body]).toEqual([400, notFound]);
    expect(await stateOf(made)).toBe('declined');
  });

  it('does not see, read or decline those of other accounts', async () => {
    const guest = await world.account(address);
    const other = await world.account(`other-${count}@example.com`);
    const made = await invite();

    expect(await seenBy(other, made)).toEqual([[], 404, 404]);
    expect((await accept(guest, made.key)).status).toBe(204);
  });

  it('sees invitations from before its registration too', async () => {
    const made = await invite();
    const guest = await world.account(address);

    const listed = await api.send({ as: guest, path: mine });
    const declined = await api.send({ as: guest, method: 'DELETE', path: `${mine}${made.id}/` });

    expect(column(listed, 'id')).toEqual([made.id]);
    expect(declined.status).toBe(204);
    expect(await stateOf(made)).toBe('declined');
  });

  it('sees at least forty of those', async () => {
    const ids = [];
    for (let n = 0; n < 40; n += 1) {
      const other = await openWorld(api, `many-${n}-of-${count}`);
      const body = { email: address };
      const made = await other.call(other.owner, 'POST', 'invitations/', body);
      ids.push(expected(made, 201).id);
    }
    const guest = await world.account(address);

    expect(column(await api.send({ as: guest, path: mine }), 'id')).toEqual(ids);
  });
});

describe('acceptance', () => {
  it('creates a member, once', async () => {
    const guest = await world.account(address);
    const made = await invite({ role: 'write' });

    const response = await accept(guest, ` ${made.key.toUpperCase()} `);
    const twice = await accept(guest, made.key);
    const list = await api.send({ as: guest, path: '/v1.1/instances/' });
    const left = await api.send({ as: guest, path: mine });

    expect([response.status, response.body]).toEqual([204, '']);
    expect([twice.status, twice.body]).toEqual([400, notFound]);
    expect(list.body.objects).toMatchObject([{ name: world.instance, role: 'write' }]);
    expect(left.body.objects).toEqual([]);
    expect(await stateOf(made)).toBe('accepted');
  });

  it('is open to any account with the key', async () => {
    await world.account(address);
    const other = await world.account(`other-${count}@example.com`);
    const made = await invite({ role: 'read' });

    const response = await accept(other, made.key);

    expect(response.status).toBe(204);
    expect(await roleIn(other)).toBe('read');
    expect(await stateOf(made)).toBe('accepted');
  });

  it('by another account removes it from the list of the invited', async () => {
    const guest = await world.account(address);
    const other = await world.account(`other-${count}@example.com`);
    const made = await invite();
    await accept(other, made.key);

    expect(await seenBy(guest, made)).toEqual([[], 404, 404]);
    expect(await stateOf(made)).toBe('accepted');
  });

  it.each([
    ['read', 'write', 'write'],
    ['read', 'full', 'full'],
    ['write', 'read', 'write'],
    ['full', 'read', 'full'],
    ['full', 'full', 'full'],
  ])('raises a role and never lowers it: %s by %s is %s', async (had, offered, has) => {
    const own = await invite({ role: offered });
    const guest = await world.account(address);
    await accept(guest, (await invite({ email: `other-${count}@example.com`, role: had })).key);

    const response = await accept(guest, own.key);
    const list = await world.call(world.owner, 'GET', 'admins/');

    expect(response.status).toBe(204);
    expect(await roleIn(guest)).toBe(has);
    expect(column(list, 'role')).toEqual(['full', has]);
  });

  it('keeps the owner’s role', async () => {
    const made = await invite({ role: 'read' });

    const response = await accept(world.owner, made.key);
    const removed = await api.send({ as: world.owner, method: 'DELETE', path: world.base });

    expect([response.status, removed.status]).toEqual([204, 204]);
  });

  it('of one key by two accounts at the same time creates one member', async () => {
    const guests = [
      await world.account(address),
      await world.account(`other-${count}@example.com`),
    ];
    const made = await invite();

    const answers = await Promise.all(guests.map((guest) => accept(guest, made.key)));
    const list = await world.call(world.owner, 'GET', 'admins/');

    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual(notFound);
    expect(list.body.objects).toHaveLength(2);
  });

  it('and a deletion at the same time leave one of both', async () => {
    const guest = await world.account(address);
    const made = await invite();

    const [accepted, removed] = await Promise.all([
      accept(guest, made.key),
      world.call(world.owner, 'DELETE', `invitations/${made.id}/`),
    ]);

    expect([204, 400]).toContain(accepted.status);
    expect(removed.status).toBe(204);
    expect((await world.call(guest, 'GET', '')).status).toBe(accepted.status === 204 ? 200 : 404);
  });

  it('of two keys at the same time ends with the stronger role, if it is for the account’s own address', async () => {
    const guest = await world.account(address);
    const made = [
      await invite({ email: `other-${count}@example.com`, role: 'read' }),
      await invite({ role: 'write' }),
    ];

    const answers = await Promise.all(made.map(({ key: sent }) => accept(guest, sent)));

    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect(await roleIn(guest)).toBe('write');
  });

  it.each([
    ['nothing', {}, { invitation_key: required }],
    ['null', { invitation_key: null }, { invitation_key: isNull }],
    ['a word', { invitation_key: 'x' }, notFound],
    ['a forged key', { invitation_key: `05${'0'.repeat(54)}` }, notFound],
  ])('is rejected with %s', async (_, body, response) => {
    const refused = await api.send({ as: world.owner, path: `${mine}accept/`, body });

    expect([refused.status, refused.body]).toEqual([400, response]);
  });

  it('is rejected with keys of other kinds, and the key of an invitation is valid for nothing else', async () => {
    const made = await invite();

    const byAccount = await accept(world.owner, world.owner);
    const byApiKey = await accept(world.owner, await world.apiKey());
    const asKey = await api.send({ as: made.key, path: mine });

    expect([byAccount.body, byApiKey.body]).toEqual([notFound, notFound]);
    expect([asKey.status, asKey.body]).toEqual([403, noSuchKey]);
  });

  it('is rejected when the instance is deleted', async () => {
    const guest = await world.account(address);
    const made = await invite();
    await api.send({ as: world.owner, method: 'DELETE', path: world.base });

    const response = await accept(guest, made.key);
    const list = await api.send({ as: guest, path: mine });

    expect([response.status, response.body, list.body.objects]).toEqual([400, notFound, []]);
  });
});

describe('a registration with an invitation', () => {
  const register = (at: Api, body: object): Promise<ApiResponse> =>
    at.send({ path: '/v1.1/account/register/', body: { password: 'p', ...body } });

  it('creates the account and the membership in one commit', async () => {
    const made = await invite({ role: 'write' });
    const before = store.commits;

    const response = await register(api, { email: address, invitation_key: made.key });

    expect(response).toMatchObject({ status: 201, body: { email: address } });
    expect(store.commits).toBe(before + 2); // the other one counts the mail
    expect(await roleIn(response.body.account_key)).toBe('write');
    expect(await stateOf(made)).toBe('accepted');
    const left = await api.send({ as: response.body.account_key, path: mine });
    expect(left.body.objects).toEqual([]);
  });

  it('may be for another address, and links the invitations of its own', async () => {
    const made = await invite({ email: `other-${count}@example.com` });
    const own = await invite();

    const response = await register(api, { email: address, invitation_key: made.key });

    expect(response.status).toBe(201);
    const left = await api.send({ as: response.body.account_key, path: mine });
    expect(column(left, 'id')).toEqual([own.id]);
  });

  it('by two requests at the same time creates one account', async () => {
    const made = await invite();

    const answers = await Promise.all(
      ['a', 'b'].map((name) =>
        register(api, { email: `${name}-${count}@example.com`, invitation_key: made.key }),
      ),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual(notFound);
    const members = await world.call(world.owner, 'GET', 'admins/');
    expect(members.body.objects).toHaveLength(2);
  });

  it('creates nothing when the key is invalid', async () => {
    const made = await invite();
    await world.call(world.owner, 'DELETE', `invitations/${made.id}/`);

    const response = await register(api, { email: address, invitation_key: made.key });
    const free = await register(api, { email: address });

    expect([response.status, response.body, free.status]).toEqual([400, notFound, 201]);
  });

  it('leaves the invitation open when the address is taken', async () => {
    const guest = await world.account(address);
    const made = await invite();

    const response = await register(api, { email: address, invitation_key: made.key });

    expect([response.status, response.body]).toEqual([400, { email: taken }]);
    expect((await accept(guest, made.key)).status).toBe(204);
  });

  it('is accepted by a closed deployment', async () => {
    const closed = await startApi({ settings: { registration: 'closed' } });
    onTestFinished(() => closed.close());
    const code = await setUpCode(closed.platform.secrets);
    const first = await register(closed, { email: 'ann@example.com', invitation_key: code });
    const as = expected(first, 201).account_key;
    await closed.send({ as, path: '/v1.1/instances/', body: { name: 'closed-house' } });
    const kim = { email: 'kim@example.com' };
    const path = '/v1.1/instances/closed-house/invitations/';
    const { key: invitation_key } = expected(await closed.send({ as, path, body: kim }), 201);

    const without = await register(closed, kim);
    const response = await register(closed, { ...kim, invitation_key });
    const again = await register(closed, { email: 'sam@example.com', invitation_key });

    expect([without.status, without.body]).toEqual([400, { detail: 'Registration disabled.' }]);
    expect(response).toMatchObject({ status: 201, body: kim });
    expect([again.status, again.body]).toEqual([400, notFound]);
  });
});
