import * as v from 'valibot';
import { instanceOf } from '../../shared/core/family.ts';
import { queryValue, type Response } from '../../shared/core/http/message.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import { unlessConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { limitRequests } from '../../shared/users/addresses/request-limits.ts';
import { addressField } from '../../shared/users/addresses/user-address.ts';
import {
  exchangeSeconds,
  type LogInState,
  openClaims,
  sealClaims,
} from '../../shared/users/redirects/sealed-claims.ts';
import type { ProvenUser } from '../../shared/users/redirects/service-call.ts';
import { identityOf, serviceDigest } from '../../shared/users/redirects/services.ts';
import { userSettingsOf } from '../../shared/users/settings/user-settings.ts';
import { planTokenUse } from '../../shared/users/tokens/user-tokens.ts';
import { detailError, unsupportedMediaType } from '../../shared/values/errors/errors.ts';
import { isJsonObject } from '../../shared/values/json/json.ts';
import { isSameMailbox } from '../../shared/values/values.ts';
import { failLogIn } from './fail.ts';
import { callbackAddress, providerOf, type RedirectContext, serviceCallOf } from './service.ts';
import { redirectToApp, type ToApp } from './to-app.ts';

const names = ['state', 'code', 'iss', 'error'] as const;
const maxLength = 6000; // of a parameter

const described = (description: string) => ({ type: 'string', description }) as const;

/** Parameters of a response of a service. */
export const callbackParameters: QueryParameters = {
  state: described('As the service got it.'),
  code: described('Code of the service.'),
  iss: described('Issuer of the response, where the service names it.'),
  error: described('Error of the service.'),
};

/**
 * Ends a log-in at a service: exchanges the code of the service, and sends the browser to the app with a code of ours
 * (docs/reference/user-accounts.md#log-in-by-redirect).
 */
export async function finishLogIn(context: RedirectContext): Promise<Response> {
  const provider = providerOf(context);
  if (context.request.method === 'HEAD') throw unknownLogIn(); // it would use the state up for no browser
  await limitRequests(context, 'redirect');
  const response = await responseParameters(context);
  const { platform } = context;
  const instance = instanceOf(context);
  const sealed = response.get('state') ?? '';
  const place = { kind: 'state', instance, provider: provider.name } as const;
  const state = await openClaims(platform, place, sealed);
  const isUsable =
    state !== undefined &&
    state.service === serviceDigest(provider) &&
    userSettingsOf(context).redirects.includes(state.redirect);
  if (!isUsable) throw unknownLogIn();
  const toApp = (result: ToApp) =>
    redirectToApp(context, state.redirect, { ...result, state: state.state });
  if (state.until <= platform.clock.micros() / 1_000_000) return toApp({ error: 'expired' });
  const use = planTokenUse(platform, { instance, nonce: state.nonce, until: state.until });
  const isFirst = (await unlessConflict(commit(context, [use]))) !== undefined;
  if (!isFirst) return toApp({ error: 'expired' });
  let user: ProvenUser | undefined;
  try {
    const { proveUser } = await import('../../shared/users/redirects/service-client.ts');
    const { nonce, verifier } = state;
    const logIn = { redirectUri: callbackAddress(context), state: sealed, nonce, verifier };
    user = await proveUser(serviceCallOf(context, provider), response, logIn);
  } catch (error) {
    return failLogIn(context, error, state);
  }
  if (user === undefined) return toApp({ error: 'access_denied' });
  return toApp({ code: await codeFor(context, provider.name, { state, user }) });
}

/** The response when nothing proves where the browser comes from, so there is no app to send it to. */
function unknownLogIn() {
  return detailError(400, 'No such log-in. Begin it again in the app.', 'social_login_failed');
}

/** Reads what a service has sent: in the query, or as a form. */
async function responseParameters(context: RedirectContext): Promise<URLSearchParams> {
  const { request } = context;
  const found = new URLSearchParams();
  const add = (name: string, value: unknown) => {
    if (typeof value === 'string' && value.length <= maxLength) found.set(name, value);
  };
  if (request.method !== 'POST') {
    for (const name of names) add(name, queryValue(request.query, name));
    return found;
  }
  const { form, value } = await context.body();
  if (!form) throw unsupportedMediaType(request.headers['content-type'] ?? '');
  for (const name of names) add(name, isJsonObject(value) ? value[name] : undefined);
  return found;
}

interface Proof {
  readonly state: LogInState;
  readonly user: ProvenUser;
}

const address = addressField().input;

/** Returns the code that the app exchanges. Nothing is stored before: a user begins with the exchange. */
function codeFor(
  context: RedirectContext,
  provider: string,
  { state, user }: Proof,
): Promise<string> {
  const { platform } = context;
  const { service, challenge, key } = state;
  const email = v.safeParse(address, user.email);
  const isProved = email.success && isSameMailbox(user.email ?? '', email.output);
  const claims = {
    provider,
    service,
    challenge,
    key,
    identity: identityOf(user.issuer, user.subject),
    ...(isProved && { email: email.output }),
    until: Math.floor(platform.clock.micros() / 1_000_000) + exchangeSeconds,
    nonce: platform.ids.random(),
  };
  return sealClaims(platform, { kind: 'code', instance: instanceOf(context) }, claims);
}
