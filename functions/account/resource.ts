import { accountFields } from '../../shared/accounts/account-fields.ts';
import { showAccount } from '../../shared/accounts/accounts.ts';
import { nextKey } from '../../shared/accounts/keys.ts';
import {
  type Context,
  callingAccount,
  computed,
  endpointRoute,
  type Family,
  type LoadedOf,
  type Route,
  recordAt,
  validInput,
} from '../../shared/core/family.ts';
import { accountsOnly, open, post } from '../../shared/core/resource/endpoint.ts';
import type { Values } from '../../shared/core/resource/input.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import { projectionParameters } from '../../shared/core/resource/query-parameters.ts';
import type { Operation, OperationName, ResponseForm } from '../../shared/core/routing/route.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit, commitUnique } from '../../shared/store/commit.ts';
import type { Write } from '../../shared/store/store.ts';
import { createItem, deleteIfExists, putItem, updateItem } from '../../shared/store/writes.ts';
import { accountMetadataEntity, emailEntity } from '../../shared/table/entities/accounts.ts';
import type { AccountData } from '../../shared/table/records/records.ts';
import type { Access } from '../../shared/values/access.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { accountCodeRoutes } from './codes.ts';
import { currentAccount } from './current.ts';
import {
  accountLogInFields,
  keyedAccountFields,
  passwordFields,
  passwordSetFields,
  registerFields,
} from './fields.ts';
import { grants } from './grants.ts';
import { accountInvitationRoutes } from './invitations.ts';
import { jobs } from './jobs.ts';
import {
  activate,
  activateFields,
  confirmReset,
  emailFields,
  resendActivation,
  resetFields,
  sendActivation,
  sendReset,
} from './mails.ts';
import { changePassword, logInAccount, setPassword } from './passwords.ts';
import { register } from './register.ts';
import { withKey } from './show.ts';
import { accountSocialFields, logInAccountSocially } from './social.ts';

/** The calling account's metadata is read in the same step as its record. */
const loads = { metadata: recordAt(accountMetadataEntity, ['account']) };
type Loaded = LoadedOf<typeof loads>;

function metadataOf({ loaded }: Context<Loaded>): JsonObject {
  return loaded.metadata?.data.metadata ?? {};
}

const own = endpointRoute({
  name: 'Account',
  path: '/account/',
  access: accountsOnly,
  loads,
  operations: {
    GET: {
      right: 'G',
      parameters: projectionParameters,
      run: async (context) => {
        const body = showAccount(callingAccount(context).data, metadataOf(context));
        const project = parseProjection(context.request.query);
        return { status: 200, body: project(body, accountFields) };
      },
    },
    PUT: updateOperation('replace'),
    PATCH: updateOperation('patch'),
  },
  forms: { PUT: accountFields },
});

function updateOperation(mode: 'replace' | 'patch'): Operation<Loaded> {
  return {
    right: 'U',
    run: async (context) => {
      const input = validInput(accountFields, await context.body(), mode);
      return retryOnConflict((isFirst) => update(context, input, isFirst));
    },
  };
}

async function update(
  context: Context<Loaded>,
  { metadata, ...changes }: Values<typeof accountFields, 'replace' | 'patch'>,
  isFirst: boolean,
): ReturnType<Operation['run']> {
  const current = await currentAccount(context, isFirst);
  const isMoved = changes.email !== undefined && changes.email !== current.data.email;
  const data: AccountData = {
    ...current.data,
    ...changes,
    ...(isMoved && { is_active: false }), // until the new address is confirmed
  };
  const shown = metadata ?? metadataOf(context);
  const writes = [
    ...(isMoved ? moveWrites(current.data, data) : []),
    updateItem(current, data),
    ...(metadata === undefined
      ? []
      : [putItem(accountMetadataEntity, accountMetadataEntity.key(data.id), { metadata: shown })]),
  ];
  await commitUnique(context, writes, () => invalid({ email: [messages.unique] }));
  if (isMoved) await sendActivation(context, data);
  return { status: 200, body: showAccount(data, shown) };
}

function moveWrites(before: AccountData, after: AccountData): readonly Write[] {
  return [
    createItem(emailEntity, emailEntity.key(after.email), { account: after.id }),
    deleteIfExists(emailEntity.key(before.email)),
  ];
}

const keyed = { name: 'Account With Key', fields: keyedAccountFields };
const silent = { status: 204 } as const;

const resetKey = endpointRoute({
  name: 'Account Reset Key',
  operationNames: { POST: { id: 'resetAccountKey', summary: 'Reset the account key' } },
  path: '/account/reset_key/',
  access: accountsOnly,
  response: keyed,
  loads,
  ...post({}, (context: Context<Loaded>) =>
    retryOnConflict(async (isFirst) => {
      const current = await currentAccount(context, isFirst);
      const next = await nextKey(context.platform.secrets, current.data);
      const data = { ...current.data, ...next };
      await commit(context, [updateItem(current, data)]);
      return withKey(context, 200, data, metadataOf(context));
    }),
  ),
});

function action(
  name: string,
  path: string,
  {
    operationName,
    ...form
  }: ReturnType<typeof post> & {
    readonly operationName: OperationName;
    readonly access: Access;
    readonly response: ResponseForm;
  },
): Route {
  return endpointRoute({ name, path, operationNames: { POST: operationName }, ...form });
}

/** Accounts: registration, log-in, and an account's actions on itself. */
export const account: Family = {
  name: 'account',
  grants,
  jobs,
  places: {
    '/account/': '/account',
    '/account/register/': '/sign-up',
    '/account/auth/': '/sign-in',
    '/account/password/reset/': '/reset-password',
    '/account/password/reset/confirm/': '/reset-password/confirm',
    '/account/activate/': '/activate',
    '/account/invitations/accept/': '/invitation',
  },
  routes: [
    own,
    resetKey,
    action('Register', '/account/register/', {
      operationName: { id: 'registerAccount', summary: 'Register an account' },
      access: open,
      response: { ...keyed, status: 201 },
      ...post(registerFields, register),
    }),
    endpointRoute({
      name: 'Auth',
      path: '/account/auth/',
      access: open,
      response: keyed,
      operationNames: { POST: { id: 'logInToAccount', summary: 'Log in to an account' } },
      ignoresCredentials: true,
      ...post(accountLogInFields, logInAccount),
    }),
    action('Password', '/account/password/', {
      operationName: { id: 'changeAccountPassword', summary: 'Change the account password' },
      access: accountsOnly,
      response: silent,
      ...post(passwordFields, changePassword),
    }),
    action('Password Set', '/account/password/set/', {
      operationName: {
        id: 'setAccountPassword',
        summary: 'Set the first password of the account',
      },
      access: accountsOnly,
      response: silent,
      ...post(passwordSetFields, setPassword),
    }),
    action('Password Reset', '/account/password/reset/', {
      operationName: {
        id: 'requestPasswordReset',
        summary: 'Request a password reset email',
      },
      access: open,
      response: silent,
      ...post(emailFields, sendReset),
    }),
    action('Password Reset Confirm', '/account/password/reset/confirm/', {
      operationName: {
        id: 'confirmPasswordReset',
        summary: 'Confirm a password reset',
      },
      access: open,
      response: keyed,
      ...post(resetFields, confirmReset),
    }),
    action('Activate', '/account/activate/', {
      operationName: { id: 'activateAccount', summary: 'Activate an account' },
      access: open,
      response: keyed,
      ...post(activateFields, activate),
    }),
    action('Resend Email', '/account/resend_email/', {
      operationName: { id: 'resendActivationEmail', summary: 'Resend the activation email' },
      access: open,
      response: silent,
      ...post(emailFields, resendActivation),
    }),
    endpointRoute({
      name: 'Social Auth',
      path: '/account/auth/{backend}/',
      access: open,
      operationNames: {
        POST: {
          id: 'logInToAccountWithSocialToken',
          summary: 'Log in to an account with a social service token',
        },
      },
      response: {
        name: 'Social Log-In',
        fields: { ...keyedAccountFields, created: computed('boolean') },
      },
      ignoresCredentials: true,
      ...post(accountSocialFields, logInAccountSocially),
    }),
    ...accountCodeRoutes,
    ...accountInvitationRoutes,
  ],
};
