import { endpointRoute, instanceOf } from '../../../shared/core/family.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { newJob } from '../../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../../shared/jobs/write-conflict.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { findGuestPlace, guestSeconds } from '../../../shared/users/guests/guest-places.ts';
import { removeGuest } from '../../../shared/users/guests/remove-guest.ts';
import { registerLoggedIn } from '../../../shared/users/register-logged-in.ts';
import { planSession } from '../../../shared/users/sessions/plan-session.ts';
import { existsWhere } from '../../../shared/users/settings/user-settings.ts';
import { wholeUser } from '../../../shared/users/show-user.ts';
import { unsupportedBackend } from '../../../shared/users/unsupported-backend.ts';
import { type AddressContext, addressLoads, creating, userResponse } from './address-endpoint.ts';

async function logInAsGuest(context: AddressContext): Promise<Response> {
  await limitRequests(context, 'guest');
  return retryOnConflict(() => createGuest(context)); // its place may be taken since
}

async function createGuest(context: AddressContext): Promise<Response> {
  const { platform } = context;
  const instance = instanceOf(context);
  const place = await findGuestPlace(platform, instance);
  const until = Math.floor(platform.clock.micros() / 1_000_000) + guestSeconds;
  const view = await registerLoggedIn(context, {
    account: { guestUntil: until, guestPlace: place.number },
    begin: async (user) => {
      const session = await planSession(platform, { instance, user, proof: 'guest' });
      const end = newJob(platform, removeGuest, { instance, user: user.id }, until * 1000);
      return { key: session.key, writes: [place.take(user.id, until), ...session.writes, end] };
    },
  });
  return { status: 201, body: wholeUser(context, view) };
}

/** Route of guests (docs/reference/user-accounts.md#guests). */
export const guestRoute = endpointRoute({
  name: 'User Guest Auth',
  operationNames: { POST: { id: 'logInAsGuest', summary: 'Log in as a new guest' } },
  path: '/instances/{instance}/user/auth/guest/',
  v1Path: null,
  exists: existsWhere(({ guests }) => guests),
  otherwise: unsupportedBackend('guest'),
  access: creating,
  loads: addressLoads,
  response: { ...userResponse, status: 201 },
  ...post({}, logInAsGuest),
});
