import { describe, expect, onTestFinished } from 'vitest';
import { setUpCode } from '../../shared/accounts/keys.ts';
import {
  type Api,
  type ApiResponse,
  expected,
  openWorld,
  startApi,
  type World,
} from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
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
import { watch } from '../support/watched-store.ts';

const it = newWorldTest('house', { wrap: watch }).extend('house', ({ world }) => asHouse(world));
const notFound = { invitation_key: 'Invitation not found.' };
const mine = '/v1.1/account/invitations/';

describe('an invitation', () => {
  it('is returned whole, the address in lower case, and mailed', async ({ api, house }) => {
    const response = await house.post({
      email: ` Guest-Of-${house.instance}@Example.COM `,
      role: 'read',
      state: 'accepted',
      id: 7,
      key: 'x',
      inviter: 'y',
    });

    const { id } = response.body;
    const self = `${house.base}invitations/${id}/`;
    expect([response.status, response.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        email: house.address,
        role: 'read',
        key: newKey,
        inviter: `owner-of-${house.instance}@example.com`,
        created_at: time,
        updated_at: time,
        state: 'new',
        links: { self, resend: `${self}resend/` },
      },
    ]);
    const [mail, ...others] = mailsTo(api, house.address);
    expect(mail?.text).toContain(`\n${response.body.key}\n`);
    expect(mail?.subject).toBe(`You are invited to ${house.instance}`);
    expect(others).toEqual([]);
  });

  it.for<[object, string]>([
    [{}, 'full'],
    [{ role: 'write' }, 'write'],
    [{ role: 2 }, 'write'],
  ])('with %j has the role %s', async ([more, role], { house }) => {
    expect((await house.invite(more)).role).toBe(role);
  });

  it('is read and listed as it was returned', async ({ house }) => {
    const made = await house.invite();

    const read = await house.own('GET', `invitations/${made.id}/`);
    const list = await house.own('GET', 'invitations/');

    expect(read.body).toEqual(made);
    expect(list.body).toEqual({ next: null, prev: null, objects: [made] });
  });

  it('is listed by id, in pages', async ({ api, house }) => {
    const ids = [];
    for (const name of ['c', 'a', 'b'])
      ids.push((await house.invite({ email: `${name}@x.org` })).id);

    const first = await house.own('GET', 'invitations/?page_size=2');
    const second = await api.send({ as: house.owner, path: first.body.next });

    const seen = [...first.body.objects, ...second.body.objects];
    expect(seen.map(({ id }) => id)).toEqual(ids);
    expect(first.body.next).toBe(
      `${house.base}invitations/?page_size=2&direction=1&last_pk=${ids[1]}`,
    );
  });

  it.for<[string, object, string]>([
    ['PATCH', { role: 3 }, 'read'],
    ['PATCH', {}, 'write'],
    ['PUT', { role: 'read' }, 'read'],
    ['PUT', {}, 'full'],
  ])('%s %j changes only its role, to %s', async ([method, body, role], { house }) => {
    const made = await house.invite({ role: 'write' });

    const sent = { ...body, email: 'other@example.com', state: 'accepted', key: 'x' };
    const response = await house.own(method, `invitations/${made.id}/`, sent);

    expect([response.status, response.body]).toEqual([200, { ...made, role, updated_at: time }]);
    expect(response.body.updated_at > response.body.created_at).toBe(true);
  });

  it('grants the role that it has when it is accepted', async ({ house }) => {
    const made = await house.invite({ role: 'full' });
    const guest = await house.account(house.address);
    await house.own('PATCH', `invitations/${made.id}/`, { role: 'read' });

    await house.accept(guest, made.key);

    expect(await house.roleIn(guest)).toBe('read');
  });

  it('that is deleted does not exist, and its key is invalid', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite();
    const at = `invitations/${made.id}/`;

    const removed = await house.own('DELETE', at);
    const again = await house.own('DELETE', at);
    const read = await house.own('GET', at);
    const listed = await api.send({ as: guest, path: mine });
    const accepted = await house.accept(guest, made.key);

    expect([removed.status, removed.body]).toEqual([204, '']);
    expect([again.status, again.body, read.status]).toEqual([404, missing, 404]);
    expect(listed.body.objects).toEqual([]);
    expect([accepted.status, accepted.body]).toEqual([400, notFound]);
  });

  it('may be created again after it was deleted', async ({ house }) => {
    const made = await house.invite();
    await house.own('DELETE', `invitations/${made.id}/`);

    const again = await house.invite();

    expect(again.id).toBeGreaterThan(made.id);
    expect(again.key).not.toBe(made.key);
  });

  it('is mailed once more while it is new, and not afterwards', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite();
    const before = mailsTo(api, house.address).length;
    const resend = () => house.own('POST', `invitations/${made.id}/resend/`);

    const first = await resend();
    const between = mailsTo(api, house.address).length;
    await house.accept(guest, made.key);
    const second = await resend();

    expect([first.status, first.body, second.status, second.body]).toEqual([204, '', 204, '']);
    expect([between, mailsTo(api, house.address).length]).toEqual([before + 1, before + 1]);
    expect(mailsTo(api, house.address).at(-1)?.text).toContain(made.key);
  });
});

describe('an invitation is rejected', () => {
  describe('with', () => {
    it.for<Rejection>([
      ['nothing', {}, { email: required }],
      ['null', { email: null }, { email: isNull }],
      [
        'a role that is none, and no address',
        { email: 'x', role: 'furry' },
        { email: ['Enter a valid email address.'], role: ['"furry" is not a valid choice.'] },
      ],
    ])('%s', async ([_, sent, errors], { house }) => {
      const { status, body } = await house.post(sent);
      expect({ status, body }).toEqual({ status: 400, body: errors });
    });
  });

  const open = { detail: 'Admin with specified Email already has an invitation created.' };
  const member = { email: 'Admin with specified Email is already a part of this Instance.' };

  it('for an address that has an open one', async ({ house }) => {
    const made = await house.invite();

    const response = await house.post({ email: house.address.toUpperCase(), role: 'read' });

    expect([response.status, response.body]).toEqual([400, open]);
    const list = await house.own('GET', 'invitations/');
    expect(list.body.objects).toEqual([made]);
  });

  it('for the owner and for members', async ({ house }) => {
    const guest = await house.account(house.address);
    await house.accept(guest, (await house.invite()).key);

    const responses = [
      await house.post({ email: house.address }),
      await house.post({ email: `owner-of-${house.instance}@example.com` }),
    ];

    expect(responses.map(({ status, body }) => [status, body])).toEqual([
      [400, member],
      [400, member],
    ]);
  });

  it('for all but one of several concurrent requests', async ({ api, house }) => {
    const responses = await Promise.all([1, 2, 3].map(() => house.post({ email: house.address })));

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const { status, body } of responses) if (status === 400) expect(body).toEqual(open);
    const list = await house.own('GET', 'invitations/');
    expect(list.body.objects).toHaveLength(1);
    expect(mailsTo(api, house.address)).toHaveLength(1);
  });
});

describe('an invitation that was declined or accepted', () => {
  it.for(['declined', 'accepted'])(
    'is replaced with a new one: %s',
    async (state, { api, house }) => {
      const guest = await house.account(house.address);
      const old = await house.invite();
      if (state === 'declined') {
        expected(await api.send({ as: guest, method: 'DELETE', path: `${mine}${old.id}/` }), 204);
      } else {
        expected(await house.accept(guest, old.key), 204);
        const { id } = expected(await api.send({ as: guest, path: '/v1.1/account/' }), 200);
        expected(await house.call(guest, 'DELETE', `admins/${id}/`), 204);
      }
      expect(await house.stateOf(old)).toBe(state);

      const made = await house.invite({ role: 'read' });

      const list = await house.own('GET', 'invitations/');
      const seen = await api.send({ as: guest, path: mine });
      expect(made.id).toBeGreaterThan(old.id);
      expect(list.body.objects).toEqual([made]);
      expect(column(seen, 'id')).toEqual([made.id]);
      expect((await house.accept(guest, old.key)).body).toEqual(notFound);
      expect((await house.accept(guest, made.key)).status).toBe(204);
      expect(await house.roleIn(guest)).toBe('read');
    },
  );
});

describe('the invited account', () => {
  it('sees its invitation, whole whatever fields are requested', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const { links: _, ...made } = await house.invite({ role: 'write' });

    const list = await api.send({ as: guest, path: `${mine}?fields=id` });
    const one = await api.send({ as: guest, path: `${mine}${made.id}/?excluded_fields=key` });

    const shown = {
      ...made,
      instance: house.instance,
      links: { self: `${mine}${made.id}/`, instance: house.base },
    };
    expect(list.body).toEqual({ next: null, prev: null, objects: [shown] });
    expect(one.body).toEqual(shown);
  });

  it('sees those of all instances in the order of ids, open ones only, in pages', async ({
    api,
    house,
  }) => {
    const guest = await house.account(house.address);
    const ids = [(await house.invite()).id];
    let last = house;
    for (const more of ['b', 'c', 'd']) {
      last = asHouse(await openWorld(api, `${house.instance}-${more}`));
      ids.push((await last.invite({ email: house.address })).id);
    }
    await api.send({ as: guest, method: 'DELETE', path: `${mine}${ids[1]}/` });
    await api.send({ as: last.owner, method: 'DELETE', path: last.base });

    const pages: number[][] = [];
    for (let path = `${mine}?page_size=1`; path !== null && pages.length < 4; ) {
      const { body } = await api.send({ as: guest, path });
      pages.push(body.objects.map((o: Invitation) => o.id));
      path = body.next;
    }

    expect(pages.slice(0, 2)).toEqual([[ids[0]], [ids[2]]]);
    expect(pages.slice(2).flat()).toEqual([]); // where the index still contains the deleted instance
  });

  it('sees the current name of the instance', async ({ api, house }) => {
    const guest = await house.account(house.address);
    await house.invite();
    await house.own('POST', 'rename/', { new_name: `moved-${house.instance}` });

    const { body } = await api.send({ as: guest, path: mine });

    expect(body.objects[0]).toMatchObject({
      instance: `moved-${house.instance}`,
      links: { instance: `/v1.1/instances/moved-${house.instance}/` },
    });
  });

  it('declines: it is no longer listed, and its key is invalid', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite();
    const path = `${mine}${made.id}/`;

    const declined = await api.send({ as: guest, method: 'DELETE', path });
    const twice = await api.send({ as: guest, method: 'DELETE', path });
    const read = await api.send({ as: guest, path });
    const list = await api.send({ as: guest, path: mine });
    const accepted = await house.accept(guest, made.key);

    expect([declined.status, declined.body]).toEqual([204, '']);
    expect([twice.status, twice.body, read.status, list.body.objects]).toEqual([
      404,
      missing,
      404,
      [],
    ]);
    expect([accepted.status, accepted.body]).toEqual([400, notFound]);
    expect(await house.stateOf(made)).toBe('declined');
  });

  it('does not see, read or decline those of other accounts', async ({ house }) => {
    const guest = await house.account(house.address);
    const other = await house.account(`other-${house.address}`);
    const made = await house.invite();

    expect(await house.seenBy(other, made)).toEqual([[], 404, 404]);
    expect((await house.accept(guest, made.key)).status).toBe(204);
  });

  it('sees invitations from before its registration too', async ({ api, house }) => {
    const made = await house.invite();
    const guest = await house.account(house.address);

    const listed = await api.send({ as: guest, path: mine });
    const declined = await api.send({ as: guest, method: 'DELETE', path: `${mine}${made.id}/` });

    expect(column(listed, 'id')).toEqual([made.id]);
    expect(declined.status).toBe(204);
    expect(await house.stateOf(made)).toBe('declined');
  });

  it('sees at least forty of those', async ({ api, house }) => {
    const ids = [];
    for (let n = 0; n < 40; n += 1) {
      const other = await openWorld(api, `many-${n}-of-${house.instance}`);
      const body = { email: house.address };
      const made = await other.own('POST', 'invitations/', body);
      ids.push(expected(made, 201).id);
    }
    const guest = await house.account(house.address);

    expect(column(await api.send({ as: guest, path: mine }), 'id')).toEqual(ids);
  });
});

describe('acceptance', () => {
  it('creates a member, once', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite({ role: 'write' });

    const response = await house.accept(guest, ` ${made.key.toUpperCase()} `);
    const twice = await house.accept(guest, made.key);
    const list = await api.send({ as: guest, path: '/v1.1/instances/' });
    const left = await api.send({ as: guest, path: mine });

    expect([response.status, response.body]).toEqual([204, '']);
    expect([twice.status, twice.body]).toEqual([400, notFound]);
    expect(list.body.objects).toMatchObject([{ name: house.instance, role: 'write' }]);
    expect(left.body.objects).toEqual([]);
    expect(await house.stateOf(made)).toBe('accepted');
  });

  it('is open to any account with the key', async ({ house }) => {
    await house.account(house.address);
    const other = await house.account(`other-${house.address}`);
    const made = await house.invite({ role: 'read' });

    const response = await house.accept(other, made.key);

    expect(response.status).toBe(204);
    expect(await house.roleIn(other)).toBe('read');
    expect(await house.stateOf(made)).toBe('accepted');
  });

  it('by another account removes it from the list of the invited', async ({ house }) => {
    const guest = await house.account(house.address);
    const other = await house.account(`other-${house.address}`);
    const made = await house.invite();
    await house.accept(other, made.key);

    expect(await house.seenBy(guest, made)).toEqual([[], 404, 404]);
    expect(await house.stateOf(made)).toBe('accepted');
  });

  it.for([
    ['read', 'write', 'write'],
    ['read', 'full', 'full'],
    ['write', 'read', 'write'],
    ['full', 'read', 'full'],
    ['full', 'full', 'full'],
  ])(
    'raises a role and never lowers it: %s by %s is %s',
    async ([had, offered, has], { house }) => {
      const own = await house.invite({ role: offered });
      const guest = await house.account(house.address);
      await house.accept(
        guest,
        (await house.invite({ email: `other-${house.address}`, role: had })).key,
      );

      const response = await house.accept(guest, own.key);
      const list = await house.own('GET', 'admins/');

      expect(response.status).toBe(204);
      expect(await house.roleIn(guest)).toBe(has);
      expect(column(list, 'role')).toEqual(['full', has]);
    },
  );

  it('keeps the owner’s role', async ({ api, house }) => {
    const made = await house.invite({ role: 'read' });

    const response = await house.accept(house.owner, made.key);
    const removed = await api.send({ as: house.owner, method: 'DELETE', path: house.base });

    expect([response.status, removed.status]).toEqual([204, 204]);
  });

  it('of one key by two accounts at the same time creates one member', async ({ house }) => {
    const guests = [
      await house.account(house.address),
      await house.account(`other-${house.address}`),
    ];
    const made = await house.invite();

    const responses = await Promise.all(guests.map((guest) => house.accept(guest, made.key)));
    const list = await house.own('GET', 'admins/');

    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
    expect(responses.find(({ status }) => status === 400)?.body).toEqual(notFound);
    expect(list.body.objects).toHaveLength(2);
  });

  it('and a deletion at the same time leave one of both', async ({ house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite();

    const [accepted, removed] = await Promise.all([
      house.accept(guest, made.key),
      house.own('DELETE', `invitations/${made.id}/`),
    ]);

    expect([204, 400]).toContain(accepted.status);
    expect(removed.status).toBe(204);
    expect((await house.call(guest, 'GET', '')).status).toBe(accepted.status === 204 ? 200 : 404);
  });

  it('of two keys at the same time ends with the stronger role, if it is for the account’s own address', async ({
    house,
  }) => {
    const guest = await house.account(house.address);
    const made = [
      await house.invite({ email: `other-${house.address}`, role: 'read' }),
      await house.invite({ role: 'write' }),
    ];

    const responses = await Promise.all(made.map(({ key: sent }) => house.accept(guest, sent)));

    expect(responses.map(({ status }) => status)).toEqual([204, 204]);
    expect(await house.roleIn(guest)).toBe('write');
  });

  it.for([
    ['nothing', {}, { invitation_key: required }],
    ['null', { invitation_key: null }, { invitation_key: isNull }],
    ['a word', { invitation_key: 'x' }, notFound],
    ['a forged key', { invitation_key: `05${'0'.repeat(54)}` }, notFound],
  ])('is rejected with %s', async ([_, body, response], { api, house }) => {
    const refused = await api.send({ as: house.owner, path: `${mine}accept/`, body });

    expect([refused.status, refused.body]).toEqual([400, response]);
  });

  it('is rejected with keys of other kinds, and the key of an invitation is valid for nothing else', async ({
    api,
    house,
  }) => {
    const made = await house.invite();

    const byAccount = await house.accept(house.owner, house.owner);
    const byApiKey = await house.accept(house.owner, await house.apiKey());
    const asKey = await api.send({ as: made.key, path: mine });

    expect([byAccount.body, byApiKey.body]).toEqual([notFound, notFound]);
    expect([asKey.status, asKey.body]).toEqual([403, noSuchKey]);
  });

  it('is rejected when the instance is deleted', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite();
    await api.send({ as: house.owner, method: 'DELETE', path: house.base });

    const response = await house.accept(guest, made.key);
    const list = await api.send({ as: guest, path: mine });

    expect([response.status, response.body, list.body.objects]).toEqual([400, notFound, []]);
  });
});

describe('a registration with an invitation', () => {
  const register = (at: Api, body: object): Promise<ApiResponse> =>
    at.send({ path: '/v1.1/account/register/', body: { password: 'p', ...body } });

  it('creates the account and the membership in one commit', async ({ api, store, house }) => {
    const made = await house.invite({ role: 'write' });
    const before = store.commits;

    const response = await register(api, { email: house.address, invitation_key: made.key });

    expect(response).toMatchObject({ status: 201, body: { email: house.address } });
    expect(store.commits).toBe(before + 2); // the other one counts the mail
    expect(await house.roleIn(response.body.account_key)).toBe('write');
    expect(await house.stateOf(made)).toBe('accepted');
    const left = await api.send({ as: response.body.account_key, path: mine });
    expect(left.body.objects).toEqual([]);
  });

  it('may be for another address, and links the invitations of its own', async ({ api, house }) => {
    const made = await house.invite({ email: `other-${house.address}` });
    const own = await house.invite();

    const response = await register(api, { email: house.address, invitation_key: made.key });

    expect(response.status).toBe(201);
    const left = await api.send({ as: response.body.account_key, path: mine });
    expect(column(left, 'id')).toEqual([own.id]);
  });

  it('by two requests at the same time creates one account', async ({ api, house }) => {
    const made = await house.invite();

    const responses = await Promise.all(
      ['a', 'b'].map((name) =>
        register(api, { email: `${name}-${house.address}`, invitation_key: made.key }),
      ),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(responses.find(({ status }) => status === 400)?.body).toEqual(notFound);
    const members = await house.own('GET', 'admins/');
    expect(members.body.objects).toHaveLength(2);
  });

  it('creates nothing when the key is invalid', async ({ api, house }) => {
    const made = await house.invite();
    await house.own('DELETE', `invitations/${made.id}/`);

    const response = await register(api, { email: house.address, invitation_key: made.key });
    const free = await register(api, { email: house.address });

    expect([response.status, response.body, free.status]).toEqual([400, notFound, 201]);
  });

  it('leaves the invitation open when the address is taken', async ({ api, house }) => {
    const guest = await house.account(house.address);
    const made = await house.invite();

    const response = await register(api, { email: house.address, invitation_key: made.key });

    expect([response.status, response.body]).toEqual([400, { email: taken }]);
    expect((await house.accept(guest, made.key)).status).toBe(204);
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

/** Adds to an instance the address that it invites, and its requests. */
function asHouse(world: World) {
  const { api, instance, own } = world;
  const address = `guest-of-${instance}@example.com`;
  return {
    ...world,
    address,
    post: (body: unknown) => own('POST', 'invitations/', body),
    invite: (more: object = {}): Promise<Invitation> =>
      world.create('invitations/', { email: address, ...more }),
    accept: (as: string, invitation_key: unknown) =>
      api.send({ as, path: `${mine}accept/`, body: { invitation_key } }),
    /** Returns the listed ids, and the statuses of a read and a decline, of an account. */
    seenBy: async (as: string, { id }: Invitation) => {
      const list = await api.send({ as, path: mine });
      const read = await api.send({ as, path: `${mine}${id}/` });
      const decline = await api.send({ as, method: 'DELETE', path: `${mine}${id}/` });
      return [column(list, 'id'), read.status, decline.status];
    },
    roleIn: async (as: string): Promise<unknown> => (await world.call(as, 'GET', '')).body.role,
    stateOf: async ({ id }: Invitation): Promise<unknown> =>
      (await world.read(`invitations/${id}/`)).state,
  };
}

interface Invitation {
  readonly id: number;
  readonly key: string;
  readonly [field: string]: unknown;
}
