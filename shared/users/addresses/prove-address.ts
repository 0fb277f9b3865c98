import { nextKey } from '../../accounts/keys.ts';
import type { Body } from '../../core/http/body/body.ts';
import type { Response } from '../../core/http/message.ts';
import { instanceOf } from '../../core/resource/context-values.ts';
import { inputOf } from '../../core/resource/input.ts';
import type { Stored, Write } from '../../store/store.ts';
import type { UserData } from '../../table/records/records.ts';
import type { SessionProof } from '../../table/records/user-accounts.ts';
import type { ApiError } from '../../values/errors/errors.ts';
import { isJsonObject } from '../../values/json/json.ts';
import { userFields } from '../fields.ts';
import { planUserMail } from '../mail/request-user-mail.ts';
import { planSession } from '../sessions/plan-session.ts';
import { type UserContext, wholeUser } from '../show-user.ts';
import { changeUserWith } from '../write-user.ts';
import { planProof } from './plan-proof.ts';

/** Who has proved an address, and what follows. */
export interface ProvedAddress {
  readonly current: Stored<UserData>;
  readonly email: string;
  readonly proof: SessionProof;
  /** Name of the service, where the user comes from one. */
  readonly provider?: string;
  /** Password, name and profile that come with the proof. */
  readonly body?: Body;
  /** See planProof. */
  readonly hasOwnKey?: boolean;
  /** All sessions end, and the user's key, whether or not the address was proved before. */
  readonly endsSessions?: true;
  /** Written in the same transaction, as the use of a token. */
  readonly uses: readonly Write[];
  /** Error where the token was used, or another user has the address by now. */
  readonly taken: () => ApiError;
}

const noBody: Body = { value: {}, form: false };

/**
 * Stores the proof of an address and begins a session. Tries once.
 *
 * @returns the user with the key of the session
 */
export async function proveAddress(context: UserContext, proved: ProvedAddress): Promise<Response> {
  const { current, email, proof, provider, body = noBody, hasOwnKey = false } = proved;
  const { platform } = context;
  const instance = instanceOf(context);
  const planned = await planProof(platform, { instance, current, email, hasOwnKey });
  const isReset = proved.endsSessions === true || hasPassword(body);
  const ended = isReset && !planned.endsPassword;
  const data = ended
    ? { ...planned.data, ...(await nextKey(platform.secrets, planned.data)) }
    : planned.data;
  const session = await planSession(platform, {
    instance,
    user: data,
    proof,
    ...(provider !== undefined && { provider }),
  });
  const uses = [...proved.uses, ...planned.writes];
  const view = await changeUserWith(
    context,
    { current, input: inputOf(userFields, body, 'patch') },
    {
      data,
      writes: [...uses, ...session.writes, ...changedMail(context, current.data, email)],
      endsPassword: planned.endsPassword,
      conflictError: (write) => (uses.includes(write) ? proved.taken() : undefined),
    },
  );
  return { status: 200, body: wholeUser(context, { ...view, key: session.key, isLoggedIn: true }) };
}

/** Checks whether a new password comes with the proof: who knew the old one is logged out. */
function hasPassword({ value }: Body): boolean {
  return isJsonObject(value) && value.password !== undefined;
}

/** Tells the previous address of a user that it has another one now. */
function changedMail(
  { platform, apiKey, instanceId }: UserContext,
  { id, email: before, isEmailConfirmed }: UserData,
  email: string,
): readonly Write[] {
  if (before === undefined || before === email || !isEmailConfirmed) return [];
  const key = apiKey?.data.id ?? 0;
  return planUserMail(platform, {
    purpose: 'changed',
    instance: instanceId ?? 0,
    email: before,
    key,
    user: id,
  });
}
