import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { type ApiResponse, expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import {
  isNull,
  missing,
  newKey,
  noText,
  type Rejection,
  time,
  tooLong,
} from '../support/responses.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

describe('a new key', () => {
  it('needs no body', async ({ given: { call } }) => {
    const response = await call('POST');

    expect([response.status, response.body]).toEqual([201, shown(response.body.id)]);
  });

  it('accepts flags and a description, and ignores the rest', async ({ given: { call } }) => {
    const sent = { description: ' app ', allow_user_create: 1, ignore_acl: 'on' };
    const response = await call('POST', '', {
      ...sent,
      id: 99,
      api_key: 'mine',
      created_at: 'now',
    });

    const kept = { description: 'app', allow_user_create: true, ignore_acl: true };
    expect([response.status, response.body]).toEqual([201, shown(response.body.id, kept)]);
    expect(response.body.id).not.toBe(99);
  });

  it('is read and listed as it was returned', async ({ given: { fresh, call } }) => {
    const made = await fresh({ description: 'x' });

    const read = await call('GET', `${made.id}/`);
    const listed = await call('GET', `?direction=0&page_size=1`);

    expect(read.body).toEqual(made);
    expect(listed.body.objects).toEqual([made]);
  });

  it('has ids in the order of creation, also for concurrent requests', async ({
    given: { fresh },
  }) => {
    const { id } = await fresh();

    const made = await Promise.all(Array.from({ length: 5 }, () => fresh()));

    const ids = made.map((key) => key.id).sort((a, b) => a - b);
    expect(ids).toEqual([1, 2, 3, 4, 5].map((n) => id + n));
  });

  it('from a form has the flags that were ticked', async ({ given: { call } }) => {
    const body = new URLSearchParams({ description: 'f', allow_group_create: 'true' });

    const response = await call('POST', '', body);

    const kept = { description: 'f', allow_group_create: true };
    expect(response.body).toEqual(shown(response.body.id, kept));
  });
});

describe('a change of a key', () => {
  it('PATCH changes the fields that are sent', async ({ given: { fresh, call } }) => {
    const made = await fresh({ ignore_acl: true, description: 'a' });

    const response = await call('PATCH', `${made.id}/`, { allow_user_create: true, id: 5 });
    const read = await call('GET', `${made.id}/`);

    expect([response.status, response.body]).toEqual([200, { ...made, allow_user_create: true }]);
    expect(read.body).toEqual(response.body);
  });

  it('PUT without fields changes nothing', async ({ given: { fresh, call } }) => {
    const made = await fresh({ ignore_acl: true, description: 'a' });

    const empty = await call('PUT', `${made.id}/`, {});
    const bare = await call('PUT', `${made.id}/`);

    expect([empty.status, empty.body]).toEqual([200, made]);
    expect([bare.status, bare.body]).toEqual([200, made]);
  });

  it('PUT by a form unticks the flags that it omits, PATCH does not', async ({
    given: { fresh, call },
  }) => {
    const made = await fresh({ ignore_acl: true, allow_user_create: true, description: 'a' });
    const form = (method: string) =>
      call(method, `${made.id}/`, new URLSearchParams({ ignore_acl: '1' }));

    const patched = await form('PATCH');
    const put = await form('PUT');

    expect([patched.status, patched.body]).toEqual([200, made]);
    expect([put.status, put.body]).toEqual([200, { ...made, allow_user_create: false }]);
  });

  it('keeps both of two concurrent changes', async ({ given: { fresh, call } }) => {
    const made = await fresh();

    await Promise.all([
      call('PATCH', `${made.id}/`, { ignore_acl: true }),
      call('PATCH', `${made.id}/`, { allow_user_create: true }),
      call('PATCH', `${made.id}/`, { description: 'x' }),
    ]);
    const read = await call('GET', `${made.id}/`);

    const kept = { ignore_acl: true, allow_user_create: true, description: 'x' };
    expect(read.body).toEqual({ ...made, ...kept });
  });

  it('two removals remove once', async ({ given: { fresh, call } }) => {
    const { id } = await fresh();

    const removed = await call('DELETE', `${id}/`);
    const after = await Promise.all(
      ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) =>
        call(method, `${id}/`, method === 'GET' ? undefined : {}),
      ),
    );
    const reset = await call('POST', `${id}/reset_key/`);

    expect([removed.status, removed.body]).toEqual([204, '']);
    for (const response of [...after, reset]) {
      expect([response.status, response.body]).toEqual([404, missing]);
    }
  });

  it('a reset changes the text of the key, whatever the body', async ({
    api,
    given: { fresh, full, call },
  }) => {
    const made = await fresh({ description: 'a' });

    const response = await api.send({
      as: full,
      method: 'POST',
      path: made.links.reset_key,
      body: '[',
      headers: { 'Content-Type': 'application/json' },
    });
    const read = await call('GET', `${made.id}/`);

    expect([response.status, response.body]).toEqual([
      200,
      { ...made, api_key: expect.any(String) },
    ]);
    expect(response.body.api_key).not.toBe(made.api_key);
    expect(read.body).toEqual(response.body);
  });

  it('after concurrent resets the last text is valid', async ({ given: { fresh, call } }) => {
    const { id } = await fresh();

    const responses = await Promise.all([1, 2, 3].map(() => call('POST', `${id}/reset_key/`)));
    const read = await call('GET', `${id}/`);

    const texts = responses.map(({ body }) => body.api_key);
    expect(new Set(texts).size).toBe(3);
    expect(texts).toContain(read.body.api_key);
  });
});

describe('a key is rejected with', () => {
  it.for<Rejection>([
    [
      'words that are no booleans',
      { ignore_acl: 'maybe', allow_user_create: 2 },
      {
        ignore_acl: ['"maybe" is not a valid boolean.'],
        allow_user_create: ['"2" is not a valid boolean.'],
      },
    ],
    [
      'nulls',
      { description: null, allow_anonymous_read: null },
      {
        description: isNull,
        allow_anonymous_read: isNull,
      },
    ],
    ['too long a description', { description: 'x'.repeat(257) }, { description: tooLong(256) }],
    ['a list for a description', { description: [] }, { description: noText }],
  ])('%s', async ([_, sent, errors], { given: { call } }) => {
    const { status, body } = await call('POST', '', sent);
    expect({ status, body }).toEqual({ status: 400, body: errors });
  });
});

describe('with an API key', () => {
  it('only the key itself is visible', async ({ given: { fresh, call } }) => {
    const own = await fresh({ ignore_acl: true });
    const other = await fresh();
    const as = own.api_key;

    const [listed, first, self, hidden] = await Promise.all([
      call('GET', '', undefined, as),
      call('GET', `?direction=1&last_pk=${own.id}`, undefined, as),
      call('GET', `${own.id}/`, undefined, as),
      call('GET', `${other.id}/`, undefined, as),
    ]);
    expect(listed.body).toEqual({ next: null, prev: null, objects: [own] });
    expect(first.body.objects).toEqual([]);
    expect(self.body).toEqual(own);
    expect([hidden.status, hidden.body]).toEqual([404, missing]);
  });
});

async function setUp(world: World) {
  const call = (method: string, path = '', body?: unknown, as = full): Promise<ApiResponse> =>
    world.call(as, method, `api_keys/${path}`, body);
  async function fresh(body?: object) {
    return expected(await call('POST', '', body), 201);
  }

  const full = await joinAs(world, 'full');
  return { call, fresh, full };
}

const base = '/v1.1/instances/blog-1/api_keys/';

const off = {
  ignore_acl: false,
  allow_user_create: false,
  allow_group_create: false,
  allow_anonymous_read: false,
};

function shown(id: number, more: object = {}): object {
  return {
    id,
    description: '',
    ...off,
    api_key: newKey,
    created_at: time,
    links: { self: `${base}${id}/`, reset_key: `${base}${id}/reset_key/` },
    ...more,
  };
}
