import { nextKey } from '../../../shared/accounts/keys.ts';
import { instanceOf } from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { inputOf } from '../../../shared/core/resource/input.ts';
import type { Stored, Write } from '../../../shared/store/store.ts';
import { userAddressEntity } from '../../../shared/table/entities/user-accounts.ts';
import type { UserData } from '../../../shared/table/records/records.ts';
import { addressCreate, userAddressAt } from '../../../shared/users/addresses/user-address.ts';
import { userFields } from '../../../shared/users/fields.ts';
import { guestEnd } from '../../../shared/users/guests/guest-places.ts';
import { planUserMail } from '../../../shared/users/mail/request-user-mail.ts';
import { profileInput, wholeProfile } from '../../../shared/users/profile-input.ts';
import { registerLoggedIn } from '../../../shared/users/register-logged-in.ts';
import { type PlannedSession, planSession } from '../../../shared/users/sessions/plan-session.ts';
import { type UserView, wholeUser } from '../../../shared/users/show-user.ts';
import { changeUserWith } from '../../../shared/users/write-user.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { messages } from '../../../shared/values/errors/messages.ts';
import { type AddressContext, aboutMail } from './address-endpoint.ts';

/** A registration where addresses need no proof. */
export interface Registration {
  readonly body: Body;
  readonly values: {
    readonly email: string;
    readonly username: string;
    readonly password: string;
    readonly profile?: unknown;
    readonly redirect: string | undefined;
  };
  readonly guest: Stored<UserData> | undefined;
}

/**
 * Creates a user with an address that nobody has proved yet, or gives it to a guest, whose session ends.
 *
 * @throws ApiError 400 when another user has the address
 */
export async function registerUnproved(
  context: AddressContext,
  { body, values, guest }: Registration,
): Promise<Response> {
  const { store } = context.platform;
  const { email, username, password } = values;
  const instance = instanceOf(context);
  const { key } = userAddressAt(instance, email);
  if ((await store.get([key]))[0] !== undefined) throw taken();
  const begin = async (data: UserData): Promise<PlannedSession> => {
    const { redirect } = values;
    const generation = guest === undefined ? data.generation : undefined; // a guest gets its password after this
    const asked = { purpose: 'confirm', email, redirect, user: data.id, generation } as const;
    const about = aboutMail(context, asked);
    const session = await planSession(context.platform, {
      instance,
      user: data,
      proof: 'password',
    });
    const mail = planUserMail(context.platform, about);
    const writes = [addressCreate(instance, email, data.id), ...session.writes, ...mail];
    return { key: session.key, writes };
  };
  const conflictError = (write: Write) =>
    write.action === 'put' && write.kind === userAddressEntity.kind ? taken() : undefined;
  const view =
    guest === undefined
      ? await registerLoggedIn(context, {
          username,
          password,
          profile: () => profileInput(values.profile, body, 'create') ?? wholeProfile({}, 'create'),
          account: { email },
          begin,
          conflictError,
        })
      : await changeGuest(context, { guest, body, email, begin, conflictError });
  return { status: 201, body: wholeUser(context, view) };
}

interface GuestChange {
  readonly guest: Stored<UserData>;
  readonly body: Body;
  readonly email: string;
  readonly begin: (data: UserData) => Promise<PlannedSession>;
  readonly conflictError: (write: Write) => ReturnType<typeof taken> | undefined;
}

async function changeGuest(
  context: AddressContext,
  { guest, body, email, begin, conflictError }: GuestChange,
): Promise<UserView> {
  const { guestUntil: _, guestPlace: __, ...kept } = guest.data;
  const data = { ...kept, ...(await nextKey(context.platform.secrets, guest.data)), email };
  const { key, writes } = await begin(data);
  const ends = guestEnd(instanceOf(context), guest.data);
  const other = { data, writes: [...ends, ...writes], endsPassword: false, conflictError };
  const update = { current: guest, input: inputOf(userFields, body, 'patch') };
  const view = await changeUserWith(context, update, other);
  return { ...view, key, isLoggedIn: true };
}

function taken() {
  return invalid({ email: [messages.unique] });
}
