import { createHash, randomBytes } from 'node:crypto';
import {
  type Context,
  callingAccount,
  computed,
  defineFields,
  endpointRoute,
  text,
  validInput,
} from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { accountsOnly, open, post } from '../../shared/core/resource/endpoint.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { createOrUpdate } from '../../shared/store/writes.ts';
import { accountCodesEntity } from '../../shared/table/entities/accounts.ts';
import type { AccountCode, AccountCodesData } from '../../shared/table/records/user-accounts.ts';
import { accountCodeSeconds, maxAccountCodes } from '../../shared/values/bounds.ts';
import { detailError, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { isChallenge, isVerifierOf } from '../../shared/values/keys/proof-key.ts';
import { keyedAccountFields } from './fields.ts';
import { findAccount } from './find.ts';
import { withKey } from './show.ts';

/*
 * Codes with which a client that is logged in lets another one in (docs/reference/accounts.md#log-in-by-a-code). The
 * other client may send its challenge and get the code over an open channel: neither is of use without its verifier.
 */

const codeFields = defineFields({ code_challenge: text(128, { required: true }) });
const shownCodeFields = defineFields({ code: computed('string') });
const exchangeFields = defineFields({
  code: text(128, { required: true }),
  code_verifier: text(128, { required: true }),
});

const codeForm = /^([1-9]\d{0,9})\.[\w-]{43}$/;

async function issueCode(context: Context, body: Body): Promise<Response> {
  const input = validInput(codeFields, body, 'create');
  if (!isChallenge(input.code_challenge)) {
    throw invalid({ code_challenge: [messages.notChallenge] });
  }
  const { id, generation } = callingAccount(context).data;
  const code = `${id}.${randomBytes(32).toString('base64url')}`;
  await retryOnConflict(async () => {
    const now = nowIn(context);
    const until = Math.floor(now) + accountCodeSeconds;
    const current = await accountCodesEntity.read(context.platform.store, id);
    const open = (current?.data.codes ?? []).filter((each) => each.until > now);
    const made = { digest: digestOf(code), challenge: input.code_challenge, generation, until };
    await putCodes(context, { id, current }, [...open.slice(1 - maxAccountCodes), made]);
  });
  return { status: 201, body: { code } };
}

/**
 * Exchanges a code for the account and its key. A code is used up by the first request that names it, also by one with a
 * wrong verifier: another client has read the code then.
 */
async function exchangeCode(context: Context, body: Body): Promise<Response> {
  const { code, code_verifier: verifier } = validInput(exchangeFields, body, 'create');
  const id = Number(codeForm.exec(code)?.[1] ?? 0);
  const used = id === 0 ? undefined : await retryOnConflict(() => useCode(context, id, code));
  const account = used && (await findAccount(context.platform.store, id));
  const isValid =
    used !== undefined &&
    used.until > nowIn(context) &&
    used.generation === account?.data.generation &&
    isVerifierOf(used.challenge, verifier);
  if (!isValid || account === undefined) throw detailError(401, 'Invalid code.', 'login_failed');
  return withKey(context, 200, account.data, account.metadata);
}

/** Removes a code from those of its account; undefined when it is none of them. */
async function useCode(
  context: Context,
  id: number,
  code: string,
): Promise<AccountCode | undefined> {
  const current = await accountCodesEntity.read(context.platform.store, id);
  const digest = digestOf(code);
  const used = current?.data.codes.find((each) => each.digest === digest);
  if (current === undefined || used === undefined) return undefined;
  const others = current.data.codes.filter((each) => each !== used);
  await putCodes(context, { id, current }, others);
  return used;
}

interface CodesItem {
  /** Of the account. */
  readonly id: number;
  readonly current: Stored<AccountCodesData> | undefined;
}

async function putCodes(
  context: Context,
  { id, current }: CodesItem,
  codes: readonly AccountCode[],
): Promise<void> {
  const key = accountCodesEntity.key(id);
  const expiresAt = Math.floor(nowIn(context)) + 2 * accountCodeSeconds; // a code that was used stays absent
  await commit(context, [
    { ...createOrUpdate(accountCodesEntity, { key, current }, { codes }), expiresAt },
  ]);
}

function nowIn({ platform }: Context): number {
  return platform.clock.micros() / 1_000_000;
}

function digestOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

/** Log-in by a code of another client. */
export const accountCodeRoutes = [
  endpointRoute({
    name: 'Account Log-in Code',
    operationNames: {
      POST: {
        id: 'createAccountLogInCode',
        summary: 'Create a code with which another client logs in',
      },
    },
    path: '/account/auth/code/',
    v1Path: null,
    access: accountsOnly,
    response: { name: 'Account Log-in Code', status: 201, fields: shownCodeFields },
    ...post(codeFields, issueCode),
  }),
  endpointRoute({
    name: 'Account Log-in Exchange',
    operationNames: {
      POST: {
        id: 'exchangeAccountLogInCode',
        summary: 'Exchange a code for an account with its key',
      },
    },
    path: '/account/auth/exchange/',
    v1Path: null,
    access: open,
    ignoresCredentials: true,
    response: { name: 'Account With Key', fields: keyedAccountFields },
    ...post(exchangeFields, exchangeCode),
  }),
];
