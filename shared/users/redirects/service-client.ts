import * as openid from 'openid-client';
import type { Egress } from '../../ports/egress/egress.ts';
import { appleSecret } from './apple-secret.ts';
import { profileOf } from './profiles.ts';
import {
  type ProvenUser,
  requestsOf,
  type ServiceCall,
  ServiceError,
  type ServiceLogIn,
} from './service-call.ts';
import { readMetadata, type ServiceMetadata, withKeysOnly } from './service-documents.ts';
import { type LogInService, scopesOf, serviceOf } from './services.ts';

/*
 * The protocol between this server and a service, which `openid-client` speaks. Loaded at the first log-in.
 */

/** Algorithms of signatures that only a service can make: none with a shared key. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const keptMs = 600_000;
const keptErrorMs = 10_000;
const maxKept = 200; // each has up to 130 kB: what the service says of itself, and its keys
const maxKeptOfInstance = 10; // as many as it may have: other names are of earlier settings

/** Returns the address at the service where a user logs in. */
export async function logInAddress(call: ServiceCall, logIn: ServiceLogIn): Promise<string> {
  const service = serviceOf(call.provider);
  const config = await openService(call);
  const { state, nonce, redirectUri } = logIn;
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: scopesOf(call.provider),
    state,
    ...(service.hasTokens && { nonce }),
    ...(service.responseMode && { response_mode: service.responseMode }),
    ...(service.hasChallenges && {
      code_challenge: await openid.calculatePKCECodeChallenge(logIn.verifier),
      code_challenge_method: 'S256',
    }),
  });
  return url.href;
}

/** Errors by which services say that the user does not want to log in; the second is Apple's. */
const denials = ['access_denied', 'user_cancelled_authorize'];

/**
 * Exchanges the code of a service for the user whom it proves; undefined: the user does not want to log in.
 *
 * @param response parameters that the service has sent to the callback
 * @throws Error of the library, of the egress, or ServiceError
 */
export async function proveUser(
  call: ServiceCall,
  response: URLSearchParams,
  logIn: ServiceLogIn,
): Promise<ProvenUser | undefined> {
  const config = await openService(call);
  try {
    return await exchangeCode(call, config, { response, ...logIn });
  } catch (error) {
    const isDenial =
      error instanceof openid.AuthorizationResponseError && denials.includes(error.error);
    if (!isDenial) throw error;
    return undefined;
  }
}

async function exchangeCode(
  call: ServiceCall,
  config: openid.Configuration,
  logIn: ServiceLogIn & { readonly response: URLSearchParams },
): Promise<ProvenUser> {
  const service = serviceOf(call.provider);
  const url = new URL(logIn.redirectUri);
  url.search = logIn.response.toString();
  const tokens = await openid.authorizationCodeGrant(config, url, {
    expectedState: logIn.state,
    ...(service.hasTokens && { expectedNonce: logIn.nonce, idTokenExpected: true }),
    ...(service.hasChallenges && { pkceCodeVerifier: logIn.verifier }),
  });
  if (!service.hasTokens) {
    const profile = await profileOf(call, tokens.access_token);
    return { issuer: service.issuer, ...profile };
  }
  const claims = tokens.claims();
  if (claims === undefined) throw new ServiceError('no identity token');
  if (claims.sub === '') throw new ServiceError('no user'); // all of a broken service would be one
  const { userinfo_endpoint: more } = config.serverMetadata();
  const told =
    claims.email === undefined && more !== undefined
      ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
      : claims;
  return { issuer: claims.iss, subject: claims.sub, email: verifiedAddress(told) };
}

/** Returns the address of claims if the service has verified it. Apple writes the flag as text. */
function verifiedAddress({
  email,
  email_verified: isVerified,
}: Readonly<Record<string, unknown>>): string | undefined {
  const isProved = isVerified === true || isVerified === 'true';
  return isProved && typeof email === 'string' ? email : undefined;
}

interface Kept {
  readonly instance: string;
  readonly digest: string;
  readonly opened: Promise<openid.Configuration>;
  untilMs: number;
}

/** Opened services by instance and name, of each egress of the process. */
const kept = new WeakMap<Egress, Map<string, Kept>>();

/** Opens a service, or returns it as it was opened in the last ten minutes; an error is kept for ten seconds. */
function openService(call: ServiceCall): Promise<openid.Configuration> {
  const { egress, clock, share, provider } = call;
  const all = kept.get(egress) ?? new Map<string, Kept>();
  kept.set(egress, all);
  const name = `${share.instance} ${provider.name}`;
  const digest = JSON.stringify(provider);
  const nowMs = clock.steadyMs();
  const found = all.get(name);
  if (found !== undefined && found.digest === digest && found.untilMs > nowMs) return found.opened;
  all.delete(name);
  makeRoom(all, share.instance);
  const entry: Kept = {
    instance: share.instance,
    digest,
    opened: connect(call),
    untilMs: nowMs + keptMs,
  };
  all.set(name, entry);
  entry.opened.catch(() => {
    entry.untilMs = clock.steadyMs() + keptErrorMs; // its callers get the error
  });
  return entry.opened;
}

/** Deletes the oldest entries where another one of an instance would be too many. */
function makeRoom(all: Map<string, Kept>, instance: string): void {
  const own = [...all].filter(([, each]) => each.instance === instance);
  for (const [name] of own.slice(0, Math.max(0, own.length + 1 - maxKeptOfInstance)))
    all.delete(name);
  const [oldest] = all.keys();
  if (oldest !== undefined && all.size >= maxKept) all.delete(oldest);
}

async function connect(call: ServiceCall): Promise<openid.Configuration> {
  const { provider } = call;
  const service = serviceOf(provider);
  const metadata: ServiceMetadata = service.paths
    ? { issuer: service.issuer, ...service.paths }
    : await discover(call, service);
  const signed = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const config = new openid.Configuration(
    {
      ...metadata,
      id_token_signing_alg_values_supported: signed.filter((each) => algorithms.includes(each)),
    },
    provider.client_id,
    undefined,
    await authenticationOf(call, metadata),
  );
  config[openid.customFetch] = fetchFor(call, metadata.jwks_uri);
  openid.allowInsecureRequests(config); // the egress decides: only hosts that the operator allows may be without TLS
  openid.enableNonRepudiationChecks(config);
  return config;
}

/** Asks a service for its addresses, and checks that it is the issuer of the settings. */
async function discover(call: ServiceCall, { issuer }: LogInService): Promise<ServiceMetadata> {
  const config = await openid.discovery(
    new URL(issuer),
    call.provider.client_id,
    undefined,
    undefined,
    {
      [openid.customFetch]: fetchFor(call),
      execute: [openid.allowInsecureRequests],
    },
  );
  const metadata = readMetadata(config.serverMetadata());
  if (metadata.issuer !== issuer) throw new ServiceError('another issuer'); // the library has exceptions
  const logIn = URL.parse(metadata.authorization_endpoint ?? '');
  const isSafe = logIn?.protocol === 'https:' || logIn?.protocol === new URL(issuer).protocol;
  if (!isSafe) throw new ServiceError('an address without TLS');
  return metadata;
}

/** Returns how requests of this server prove that they come from the app's owner. */
async function authenticationOf(
  { provider, clock, secret }: ServiceCall,
  { token_endpoint_auth_methods_supported: methods }: Partial<ServiceMetadata>,
): Promise<openid.ClientAuth> {
  const opened = await secret();
  if (provider.kind === 'apple') {
    const seconds = Math.floor(clock.micros() / 1_000_000);
    return openid.ClientSecretPost(await appleSecret(provider, opened ?? '', seconds));
  }
  if (opened === undefined && provider.kind === 'oidc') return openid.None();
  const isPost = methods?.includes('client_secret_post') ?? true;
  return isPost ? openid.ClientSecretPost(opened ?? '') : openid.ClientSecretBasic(opened ?? '');
}

/**
 * Returns the fetch of the library. Of a response with keys nothing else is left: the library keeps it. Challenges are
 * taken away: the library parses them in quadratic time.
 */
function fetchFor(call: ServiceCall, keysAt?: string): openid.CustomFetch {
  const send = requestsOf(call);
  return async (url, { method, headers, body, signal }) => {
    const request = { method, headers, ...(body && { body }), ...(signal && { signal }) };
    const response = await send(url, request);
    response.headers.delete('www-authenticate');
    return keysAt !== undefined && url === new URL(keysAt).href ? withKeysOnly(response) : response;
  };
}
