import {
  defineFields,
  endpointRoute,
  instanceOf,
  notFound,
  text,
  validInput,
} from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { flagField } from '../../../shared/core/resource/field.ts';
import { retryOnConflict } from '../../../shared/jobs/write-conflict.ts';
import type { Stored, Write } from '../../../shared/store/store.ts';
import { userEntity } from '../../../shared/table/entities/users.ts';
import type { UserData } from '../../../shared/table/records/records.ts';
import { checkCode, wrongCode } from '../../../shared/users/addresses/check-code.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { planUserMail } from '../../../shared/users/mail/request-user-mail.ts';
import { removeUser } from '../../../shared/users/remove-user.ts';
import { existsWhere } from '../../../shared/users/settings/user-settings.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import {
  type AddressContext,
  aboutMail,
  addressLoads,
  requestMail,
  signedIn,
} from './address-endpoint.ts';
import { callingUser, requirePassword } from './own-proof.ts';

const deleteFields = defineFields({
  password: text(undefined, { writeOnly: true }),
  code: text(16, { writeOnly: true }),
  send_code: flagField(),
});

async function deleteOwnUser(context: AddressContext, body: Body): Promise<Response> {
  const { password, code, send_code } = validInput(deleteFields, body, 'create');
  const user = callingUser(context);
  if (send_code) return sendCode(context, user.data);
  const uses = await requireOwner(context, user.data, { password, code });
  await retryOnConflict((isFirst) => remove(context, user, { uses, isFirst }));
  return { status: 204 };
}

async function sendCode(context: AddressContext, { id, ...user }: UserData): Promise<Response> {
  const email = provedAddressOf(user);
  await limitRequests(context, 'delete', email);
  return requestMail(context, { purpose: 'code', email, use: 'delete', user: id });
}

/** Requires a proof of the caller; a guest has none but its session. */
async function requireOwner(
  context: AddressContext,
  user: UserData,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<readonly Write[]> {
  if (code !== '') {
    const email = provedAddressOf(user);
    const instance = instanceOf(context);
    const found = await checkCode(context, { instance, email, use: 'delete' }, code);
    return [found.use];
  }
  if (user.guestUntil === undefined) await requirePassword(context, password);
  return [];
}

function provedAddressOf({
  email,
  isEmailConfirmed,
}: Pick<UserData, 'email' | 'isEmailConfirmed'>) {
  if (email !== undefined && isEmailConfirmed === true) return email;
  throw invalid({ code: ['The user has no confirmed address.'] });
}

async function remove(
  context: AddressContext,
  read: Stored<UserData>,
  { uses, isFirst }: { readonly uses: readonly Write[]; readonly isFirst: boolean },
): Promise<void> {
  const { platform } = context;
  const { id, generation } = read.data;
  const current = isFirst ? read : await userEntity.read(platform.store, instanceOf(context), id);
  if (current?.data.generation !== generation) throw notFound(); // deleted since, or now another person's
  const { email, isEmailConfirmed } = current.data;
  const told =
    email === undefined || !isEmailConfirmed // to another person, an account that it never had is none
      ? []
      : planUserMail(platform, aboutMail(context, { purpose: 'deleted', email, user: id }));
  await removeUser(context, current, {
    writes: [...uses, ...told],
    conflictError: (write) => (uses.includes(write) ? wrongCode() : undefined),
  });
}

/** Route with which a user deletes itself (docs/reference/user-accounts.md#deleting-the-own-user). */
export const deleteRoute = endpointRoute({
  name: 'User Delete',
  operationNames: { POST: { id: 'deleteOwnUser', summary: 'Delete the own user' } },
  path: '/instances/{instance}/user/delete/',
  v1Path: null,
  exists: existsWhere(
    ({ email, guests, providers }) => email !== 'off' || guests || providers.length > 0,
  ),
  access: signedIn,
  loads: addressLoads,
  response: { status: 204, mayBeMail: true },
  ...post(deleteFields, deleteOwnUser),
});
