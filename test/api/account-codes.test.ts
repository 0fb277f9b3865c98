import { describe, expect } from 'vitest';
import { accountCodesEntity } from '../../shared/table/entities/accounts.ts';
import { accountCodeSeconds, maxAccountCodes } from '../../shared/values/bounds.ts';
import { type Api, expected } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { challengeOf } from '../support/redirect-log-in.ts';
import { newKey, required } from '../support/responses.ts';

/* Codes with which a client that is logged in to an account lets another one in. */

const clock = openMovedClock();

const it = apiTest({ clock }).extend('given', ({ api, task }) => openAccount(api, task.id));

const verifier = 'v'.repeat(43);
const challenge = challengeOf(verifier);
const invalidCode = { status: 401, body: { detail: 'Invalid code.' } };

describe('a code', () => {
  it('is exchanged for the account with its key, without a key', async ({ given }) => {
    const { key, shown, issue, exchange } = given;

    expect(await exchange(await issue())).toEqual({
      status: 200,
      body: { ...shown, account_key: key },
    });
    expect(key).toEqual(newKey);
  });

  it('works once', async ({ given: { issue, exchange } }) => {
    const code = await issue();
    await exchange(code);

    expect(await exchange(code)).toEqual(invalidCode);
  });

  it('works for one of several requests at the same time', async ({ given }) => {
    const { issue, exchange } = given;
    const code = await issue();

    const responses = await Promise.all([1, 2, 3, 4].map(() => exchange(code)));

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('is used up by a wrong verifier', async ({ given: { issue, exchange } }) => {
    const code = await issue();

    expect(await exchange(code, 'w'.repeat(43))).toEqual(invalidCode);
    expect(await exchange(code, challenge)).toEqual(invalidCode);
    expect(await exchange(code)).toEqual(invalidCode);
  });

  it('ends after 30 seconds', async ({ given: { issue, exchange } }) => {
    const [early, late] = [await issue(), await issue()];

    clock.forward(accountCodeSeconds - 1);
    expect((await exchange(early)).status).toBe(200);
    clock.forward(1);
    expect(await exchange(late)).toEqual(invalidCode);
  });

  it('ends with a reset of the account key', async ({ api, given: { key, issue, exchange } }) => {
    const code = await issue();
    const path = '/v1.1/account/reset_key/';
    const { account_key } = expected(await api.send({ as: key, method: 'POST', path }), 200);

    expect(await exchange(code)).toEqual(invalidCode);
    const next = await exchange(await issue(account_key));
    expect(next.body.account_key).toBe(account_key);
  });

  it('opens its own account only', async ({ api, given }) => {
    const other = await openAccount(api, 'another');
    const code = await given.issue();
    const { id } = other.shown;

    expect(await given.exchange(code.replace(/^\d+/, String(id)))).toEqual(invalidCode);
    expect((await given.exchange(code)).body.id).toBe(given.shown.id);
  });

  it.for(['', 'x', '1', '1.', `0.${'x'.repeat(43)}`, `99999.${'x'.repeat(43)}`])(
    'that was never issued is invalid: %s',
    async (code, { given: { exchange } }) => {
      const body = code === '' ? { code: ['This field may not be blank.'] } : invalidCode.body;

      expect(await exchange(code)).toEqual({ status: code === '' ? 400 : 401, body });
    },
  );
});

describe('codes of an account', () => {
  it('work at the same time, up to ten; a further one ends the oldest', async ({ given }) => {
    const { issue, exchange } = given;
    const codes: string[] = [];
    for (let at = 0; at <= maxAccountCodes; at += 1) codes.push(await issue());

    const responses = await Promise.all(codes.map((code) => exchange(code)));

    expect(responses.map(({ status }) => status)).toEqual([401, ...Array(10).fill(200)]);
  });

  it('are all made when they are requested at the same time', async ({ given }) => {
    const codes = await Promise.all([1, 2, 3, 4].map(() => given.issue()));

    const responses = await Promise.all(codes.map((code) => given.exchange(code)));

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('are stored as digests, and leave no more than one item', async ({ api, given }) => {
    const first = await given.issue();
    clock.forward(accountCodeSeconds);
    const second = await given.issue();

    const id = Number(given.shown.id);
    const { data } = (await accountCodesEntity.read(api.platform.store, id)) ?? {};

    expect(data?.codes).toHaveLength(1);
    expect(data?.codes[0]?.digest).toBe(challengeOf(second));
    for (const code of [first, second]) {
      expect(JSON.stringify(data)).not.toContain(code.split('.')[1]);
    }
  });

  it('need a challenge', async ({ api, given: { key } }) => {
    const path = '/v1.1/account/auth/code/';
    const ask = async (body: object) => (await api.send({ as: key, path, body })).body;

    expect(await ask({})).toEqual({ code_challenge: required });
    expect(await ask({ code_challenge: verifier.slice(1) })).toEqual({
      code_challenge: ['It has 43 letters of base64url.'],
    });
  });
});

/** Registers an account; its codes are for the verifier, unless the test says otherwise. */
async function openAccount(api: Api, name: string) {
  const body = { email: `${name}@example.com`, password: 'p' };
  const { account_key: key, ...shown } = expected(
    await api.send({ path: '/v1.1/account/register/', body }),
    201,
  );
  const issue = async (as: string = key, code_challenge = challenge): Promise<string> => {
    const path = '/v1.1/account/auth/code/';
    return expected(await api.send({ as, path, body: { code_challenge } }), 201).code;
  };
  const exchange = async (code: string, code_verifier = verifier) => {
    const path = '/v1.1/account/auth/exchange/';
    const { status, body } = await api.send({ path, body: { code, code_verifier } });
    return { status, body };
  };
  return { key: String(key), shown, issue, exchange };
}
