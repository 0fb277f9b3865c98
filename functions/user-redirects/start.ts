import { randomBytes } from 'node:crypto';
import { instanceOf } from '../../shared/core/family.ts';
import { queryValue, type Response } from '../../shared/core/http/message.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import { apiKeyEntity } from '../../shared/table/entities/instances.ts';
import { limitRequests } from '../../shared/users/addresses/request-limits.ts';
import { sealClaims, stateSeconds } from '../../shared/users/redirects/sealed-claims.ts';
import { serviceDigest } from '../../shared/users/redirects/services.ts';
import { userSettingsOf } from '../../shared/users/settings/user-settings.ts';
import { type FieldErrors, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { isChallenge } from '../../shared/values/keys/proof-key.ts';
import { failLogIn } from './fail.ts';
import { callbackAddress, providerOf, type RedirectContext, serviceCallOf } from './service.ts';
import { redirectTo } from './to-app.ts';

const maxState = 500;
const method = 'S256';

/** Parameters of the beginning of a log-in. */
export const startParameters: QueryParameters = {
  key: {
    type: 'integer',
    description: 'Id of the API key with which the app exchanges the code; not the key itself.',
    min: 1,
  },
  redirect: {
    type: 'string',
    description:
      'Address of the app that gets the code: exactly one of `redirects` in the settings.',
  },
  code_challenge: {
    type: 'string',
    description: 'SHA-256 of the verifier of the app, in base64url: 43 characters.',
  },
  code_challenge_method: { type: 'string', description: 'S256 is required.', choices: [method] },
  state: {
    type: 'string',
    description: `Any text of at most ${maxState} characters, which the app gets back.`,
  },
};

/** Begins a log-in at a service: sends the browser there (docs/reference/user-accounts.md#log-in-by-redirect). */
export async function startLogIn(context: RedirectContext): Promise<Response> {
  const provider = providerOf(context);
  await limitRequests(context, 'redirect');
  const input = await startInput(context);
  const { platform } = context;
  const instance = instanceOf(context);
  const nonce = platform.ids.random();
  const verifier = randomBytes(32).toString('base64url');
  const state = await sealClaims(
    platform,
    { kind: 'state', instance, provider: provider.name },
    {
      ...input,
      service: serviceDigest(provider),
      until: Math.floor(platform.clock.micros() / 1_000_000) + stateSeconds,
      nonce,
      verifier,
    },
  );
  const redirectUri = callbackAddress(context);
  try {
    const { logInAddress } = await import('../../shared/users/redirects/service-client.ts');
    const call = serviceCallOf(context, provider);
    const address = await logInAddress(call, { redirectUri, state, nonce, verifier });
    return redirectTo(context, address);
  } catch (error) {
    return failLogIn(context, error, input);
  }
}

/**
 * Reads the parameters of a beginning.
 *
 * @throws ApiError 400 with the messages of all that are wrong: an address that is not in the settings is never used
 */
async function startInput(context: RedirectContext) {
  const { request, platform } = context;
  const value = (name: string) => queryValue(request.query, name) ?? '';
  const [key, redirect, challenge, state] = [
    value('key'),
    value('redirect'),
    value('code_challenge'),
    value('state'),
  ];
  const isKey =
    /^\d{1,10}$/.test(key) &&
    (await apiKeyEntity.read(platform.store, instanceOf(context), Number(key))) !== undefined;
  const isKnown = userSettingsOf(context).redirects.includes(redirect);
  const errors: FieldErrors = {
    ...(!isKey && { key: ['The id of an API key of this instance is needed.'] }),
    ...(!isKnown && { redirect: ['The address is not among the redirects in the settings.'] }),
    ...(!isChallenge(challenge) && { code_challenge: [messages.notChallenge] }),
    ...(value('code_challenge_method') !== method && {
      code_challenge_method: ['S256 is needed.'],
    }),
    ...(state.length > maxState && { state: [messages.maxLength(maxState)] }),
  };
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { key: Number(key), redirect, challenge, ...(state !== '' && { state }) };
}
