import {
  defineFields,
  endpointRoute,
  instanceOf,
  text,
  validInput,
} from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { bodyObject } from '../../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../../shared/jobs/write-conflict.ts';
import { userEntity } from '../../../shared/table/entities/users.ts';
import {
  checkCode,
  type FoundCode,
  wrongCode,
} from '../../../shared/users/addresses/check-code.ts';
import {
  createProvedUser,
  requireCreate,
} from '../../../shared/users/addresses/create-proved-user.ts';
import { proveAddress } from '../../../shared/users/addresses/prove-address.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { addressField } from '../../../shared/users/addresses/user-address.ts';
import { existsWhere } from '../../../shared/users/settings/user-settings.ts';
import { unsupportedBackend } from '../../../shared/users/unsupported-backend.ts';
import {
  type AddressContext,
  addressLoads,
  anyApiKey,
  requestMail,
  userResponse,
} from './address-endpoint.ts';

const codeFields = defineFields({ email: addressField(), code: text(16) });

async function logInByCode(context: AddressContext, body: Body): Promise<Response> {
  const { email, code } = validInput(codeFields, body, 'create');
  if (code === '') {
    if (Object.hasOwn(bodyObject(body), 'code')) throw wrongCode(); // another mail would end the code of the last one
    await limitRequests(context, 'code', email);
    return requestMail(context, { purpose: 'code', email, use: 'log-in' });
  }
  const subject = { instance: instanceOf(context), email, use: 'log-in' } as const;
  const found = await checkCode(context, subject, code);
  return retryOnConflict(() => logIn(context, email, found));
}

/** Logs in the user with the address; without one, the calling guest or a new user gets it. */
async function logIn(
  context: AddressContext,
  email: string,
  { use, address }: FoundCode,
): Promise<Response> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const known = address && (await userEntity.read(store, instance, address.data.user));
  const owner = known?.data.email === email ? known : undefined;
  const caller = context.user && (await userEntity.read(store, instance, context.user.data.id));
  const guest = caller?.data.guestUntil === undefined ? undefined : caller;
  if (owner === undefined) requireCreate(context); // of a guest too
  const current = owner ?? guest;
  const proved = { email, proof: 'code', taken: wrongCode } as const;
  return current === undefined
    ? createProvedUser(context, { ...proved, uses: () => [use] })
    : proveAddress(context, { ...proved, current, uses: [use] });
}

/** Route of log-ins by a code in a mail (docs/reference/user-accounts.md#codes). */
export const codeRoute = endpointRoute({
  name: 'User Code Auth',
  operationNames: {
    POST: { id: 'logInAsUserWithCode', summary: 'Log in as a user with an email code' },
  },
  path: '/instances/{instance}/user/auth/code/',
  v1Path: null,
  exists: existsWhere(({ codes, email }) => codes && email !== 'off'),
  otherwise: unsupportedBackend('code'),
  access: anyApiKey,
  loads: addressLoads,
  response: { ...userResponse, mayBeMail: true },
  ...post(codeFields, logInByCode),
});
