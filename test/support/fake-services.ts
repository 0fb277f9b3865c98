import { createHash, generateKeyPairSync } from 'node:crypto';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import type { Egress, EgressRequest } from '../../shared/ports/egress/egress.ts';
import { EgressError } from '../../shared/ports/egress/egress.ts';

/** A request that a service has received. */
export interface Received {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
}

/** Responds to a request: a value is sent as JSON. */
export type Respond = (received: Received) => unknown;

/** Services at addresses on no network, which an egress reaches. */
export interface FakeServices {
  readonly egress: Egress;
  readonly received: Received[];
  /** Sets the response at an address without query; undefined: nothing is there. */
  on(address: string, respond: Respond | undefined): void;
}

/** Opens services. Other addresses go to `others`, if there is one. */
export function openFakeServices(others?: Egress): FakeServices {
  const paths = new Map<string, Respond>();
  const received: Received[] = [];
  return {
    received,
    on: (address, respond) => {
      if (respond === undefined) paths.delete(address);
      else paths.set(address, respond);
    },
    egress: async (text, request) => {
      const url = new URL(text);
      const respond = paths.get(url.origin + url.pathname);
      if (respond === undefined) {
        if (others !== undefined) return others(text, request);
        throw new EgressError('unreachable');
      }
      const got = { url, ...(await partsOf(text, request)) };
      received.push(got);
      const response = await respond(got);
      return response instanceof Response ? response : Response.json(response);
    },
  };
}

async function partsOf(url: string, { method = 'GET', headers, body }: EgressRequest) {
  const request = new Request(url, { method, ...(headers && { headers }), ...(body && { body }) });
  const form = new URLSearchParams(method === 'GET' ? '' : await request.text());
  return { method, headers: request.headers, form };
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The public key of the services, in PEM. */
export const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Signs an identity token as the services do. */
export function identityToken(claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey);
}

/** Returns the key set of the services. */
export async function keySet() {
  return { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] };
}

/** What a service of OpenID Connect says of the user who logs in. */
export interface Told {
  /** The claims of its token in place of the right ones. */
  readonly claims?: (right: JWTPayload) => JWTPayload;
  /** The token in place of the signed one. */
  readonly token?: (claims: JWTPayload) => string | Promise<string>;
  readonly sub?: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
}

/** A service of OpenID Connect whose responses a test chooses. */
export interface FakeOpenId {
  readonly issuer: string;
  /** Logs a user in at the address to which `start` has sent the browser; returns what its callback gets. */
  logIn(address: URL, told?: Told): URLSearchParams;
}

/** Opens a service of OpenID Connect, which checks what a real one does. */
export function openFakeOpenId(
  services: FakeServices,
  issuer: string,
  metadata: Readonly<Record<string, unknown>> = {},
): FakeOpenId {
  const codes = new Map<string, { address: URL; told: Told }>();
  services.on(`${issuer}/.well-known/openid-configuration`, () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
    ...metadata,
  }));
  services.on(`${issuer}/keys`, keySet);
  services.on(`${issuer}/token`, async ({ form }) => {
    const found = codes.get(form.get('code') ?? '');
    if (found === undefined) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const { searchParams: asked } = found.address;
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '');
    const isRight =
      asked.get('redirect_uri') === form.get('redirect_uri') &&
      asked.get('code_challenge') === challenge.digest('base64url');
    if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    const { claims = (right) => right, token = identityToken, ...told } = found.told;
    const now = Math.floor(Date.now() / 1000);
    const payload = claims({
      iss: issuer,
      aud: asked.get('client_id') ?? '',
      sub: 'sub-1',
      nonce: asked.get('nonce') ?? '',
      iat: now,
      exp: now + 300,
      ...told,
    });
    return { access_token: 'a1', token_type: 'Bearer', id_token: await token(payload) };
  });
  return {
    issuer,
    logIn: (address, told = {}) => {
      const code = `code-${codes.size + 1}`;
      codes.set(code, { address, told });
      const state = address.searchParams.get('state') ?? '';
      return new URLSearchParams({ code, state, iss: issuer });
    },
  };
}
