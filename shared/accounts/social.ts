import * as v from 'valibot';
import type { Egress, EgressRequest } from '../ports/egress/egress.ts';
import type { Platform } from '../ports/ports.ts';
import {
  type SocialBackend,
  type SocialProfile,
  type SocialVerifier,
  socialBackends,
} from '../ports/social-verifier.ts';
import { detailError } from '../values/errors/errors.ts';
import { email as emailValue, isSameMailbox } from '../values/values.ts';
import { type PasswordCall, shareOfCall } from './passwords.ts';

const gone = ['linkedin', 'twitter']; // their former interfaces no longer exist: every token is invalid
const timeoutMs = 5000;
const maxBytes = 65_536; // of a response
const maxNameLength = 64;
/** No service makes others. The egress sends no longer address, and no other letter in a header. */
const tokenForm = /^[\x20-\x7e]{1,2048}$/;

/**
 * Requests the profile of a token's bearer from its service.
 *
 * @param call    the request: it counts for its instance or address
 * @param backend as in the path
 * @param token   empty: none, which is invalid, as is one that is too long for an address
 * @throws ApiError 400 for a service that is not configured, 401 for a token that it rejects
 */
export async function verifiedProfile(
  call: PasswordCall,
  backend: string,
  token: string,
): Promise<SocialProfile> {
  const verify = isBackend(backend) ? call.platform.social[backend] : undefined;
  if (verify === undefined && !gone.includes(backend)) {
    throw detailError(400, 'Unsupported social backend.', 'social_login_failed');
  }
  const profile = token === '' ? undefined : await verify?.(token, shareOfCall(call));
  if (profile === undefined) throw detailError(401, 'Invalid authorization token.', 'login_failed');
  return profile;
}

function isBackend(name: string): name is SocialBackend {
  return (socialBackends as readonly string[]).includes(name);
}

/** Ids and secrets of this deployment at other services; a service without any is off. */
export interface SocialConfiguration {
  readonly facebook?: { readonly appId: string; readonly appSecret: string };
  readonly google?: { readonly clientId: string };
  readonly github?: { readonly clientId: string; readonly clientSecret: string };
}

/**
 * Creates the verifiers of the configured services. Each accepts a token only when it was issued to this deployment's
 * own application: otherwise any other application could log in as its users.
 */
export function createVerifiers(
  { facebook, google, github }: SocialConfiguration,
  egress: Egress,
): Platform['social'] {
  const verifier =
    (ask: (token: string, send: Send) => Promise<SocialProfile | undefined>): SocialVerifier =>
    async (token, share) => {
      if (!tokenForm.test(token)) return undefined;
      const send: Send = (url, init) => egress(url, { ...init, share, timeoutMs, maxBytes });
      return tidy(await ask(token, send));
    };
  return {
    ...(facebook && { facebook: verifier((token, send) => askFacebook(facebook, token, send)) }),
    ...(google && { 'google-oauth2': verifier((token, send) => askGoogle(google, token, send)) }),
    ...(github && { github: verifier((token, send) => askGithub(github, token, send)) }),
  };
}

/** Sends a request to a service. */
type Send = (
  url: string,
  init: Pick<EgressRequest, 'method' | 'headers' | 'body'>,
) => Promise<Response>;

const address = emailValue({ max: 254 });

/** Converts the profile of a service to the form of accounts. */
function tidy(told: SocialProfile | undefined): SocialProfile | undefined {
  if (told === undefined) return undefined;
  const { email = '' } = told;
  const parsed = v.safeParse(address, email);
  return {
    id: told.id,
    email: parsed.success && isSameMailbox(email, parsed.output) ? parsed.output : undefined,
    first_name: shortenName(told.first_name),
    last_name: shortenName(told.last_name),
  };
}

function shortenName(name: string): string {
  return [...name.trim().toWellFormed()].slice(0, maxNameLength).join('');
}

const facebookInspection = v.object({
  data: v.object({ app_id: v.string(), is_valid: v.boolean() }),
});
const facebookProfile = v.object({
  id: v.string(),
  email: v.optional(v.string()), // present only when its owner has confirmed it
  first_name: v.optional(v.string(), ''),
  last_name: v.optional(v.string(), ''),
});

async function askFacebook(
  { appId, appSecret }: NonNullable<SocialConfiguration['facebook']>,
  token: string,
  send: Send,
): Promise<SocialProfile | undefined> {
  const base = 'https://graph.facebook.com';
  const inspect = new URLSearchParams({
    input_token: token,
    access_token: `${appId}|${appSecret}`,
  });
  const inspection = await ask(facebookInspection, send, `${base}/debug_token?${inspect}`);
  if (inspection?.data.app_id !== appId || !inspection.data.is_valid) return undefined;
  const fields = new URLSearchParams({
    fields: 'id,email,first_name,last_name',
    access_token: token,
  });
  const profile = await ask(facebookProfile, send, `${base}/me?${fields}`);
  return profile && { ...profile, email: profile.email };
}

// of an access token, which says nothing itself: OpenID Connect has no check of its audience
const googleInspection = v.object({ aud: v.string(), sub: v.optional(v.string()) });
const googleProfile = v.object({
  sub: v.string(),
  email: v.optional(v.string()),
  email_verified: v.optional(v.union([v.boolean(), v.string()])),
  given_name: v.optional(v.string(), ''),
  family_name: v.optional(v.string(), ''),
});

async function askGoogle(
  { clientId }: NonNullable<SocialConfiguration['google']>,
  token: string,
  send: Send,
): Promise<SocialProfile | undefined> {
  const query = new URLSearchParams({ access_token: token });
  const inspected = `https://oauth2.googleapis.com/tokeninfo?${query}`;
  const inspection = await ask(googleInspection, send, inspected);
  if (inspection?.aud !== clientId) return undefined;
  const told = await userInfoOf(token, inspection, send);
  if (told === undefined) return undefined;
  const parsed = v.safeParse(googleProfile, told);
  if (!parsed.success) return undefined;
  const profile = parsed.output;
  const isVerified = profile.email_verified === true || profile.email_verified === 'true';
  return {
    id: profile.sub,
    email: isVerified ? profile.email : undefined,
    first_name: profile.given_name,
    last_name: profile.family_name,
  };
}

/** Asks Google for the claims about a user; undefined for a token that it rejects, and for an invalid response. */
async function userInfoOf(
  token: string,
  { aud, sub }: v.InferOutput<typeof googleInspection>,
  send: Send,
): Promise<unknown> {
  const openid = await import('openid-client'); // few servers need it
  const config = new openid.Configuration(
    {
      issuer: 'https://accounts.google.com',
      userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    },
    aud,
  );
  config[openid.customFetch] = async (url, { method, headers }) =>
    available(url, await send(url, { method, headers }));
  try {
    return await openid.fetchUserInfo(config, token, sub ?? openid.skipSubjectCheck);
  } catch (error) {
    if (error instanceof openid.WWWAuthenticateChallengeError) return undefined;
    if (!(error instanceof openid.ClientError)) throw error;
    if (error.code === undefined) throw error.cause; // of the request, not of its response
    return undefined;
  }
}

const githubInspection = v.object({ user: v.object({ id: v.number() }) });
const githubUser = v.object({ id: v.number(), name: v.nullish(v.string(), '') });
const githubEmails = v.array(
  v.object({ email: v.string(), primary: v.boolean(), verified: v.boolean() }),
);

async function askGithub(
  { clientId, clientSecret }: NonNullable<SocialConfiguration['github']>,
  token: string,
  send: Send,
): Promise<SocialProfile | undefined> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const base = 'https://api.github.com';
  const inspection = await ask(
    githubInspection,
    send,
    `${base}/applications/${encodeURIComponent(clientId)}/token`,
    {
      method: 'POST',
      headers: { Authorization: `Basic ${basic}`, Accept: 'application/vnd.github+json' },
      body: JSON.stringify({ access_token: token }),
    },
  );
  if (inspection === undefined) return undefined;
  const headers = { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' };
  const [user, emails] = await Promise.all([
    ask(githubUser, send, `${base}/user`, { headers }),
    ask(githubEmails, send, `${base}/user/emails`, { headers }),
  ]);
  if (user?.id !== inspection.user.id) return undefined;
  const [first = '', ...rest] = (user.name ?? '').split(' ');
  return {
    id: String(user.id),
    email: emails?.find(({ primary, verified }) => primary && verified)?.email,
    first_name: first,
    last_name: rest.join(' '),
  };
}

/**
 * Sends one request to a service; returns undefined for an error response or an unexpected form.
 *
 * @throws Error without token when the service is unavailable
 */
async function ask<Shape extends v.GenericSchema>(
  shape: Shape,
  send: Send,
  url: string,
  init: Parameters<Send>[1] = {},
): Promise<v.InferOutput<Shape> | undefined> {
  const response = available(url, await send(url, init));
  if (!response.ok) return undefined;
  const parsed = v.safeParse(shape, await jsonOf(response));
  return parsed.success ? parsed.output : undefined;
}

/**
 * Returns a response of a service.
 *
 * @throws Error without token when the service is unavailable
 */
function available(url: string, response: Response): Response {
  const { status } = response;
  // status 429 does not mean that the token is invalid
  if (status >= 500 || status === 429) throw new Error(`${new URL(url).host} answers ${status}`);
  return response;
}

/** Parses JSON; undefined for anything else, since the parser's error would quote it. */
async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
