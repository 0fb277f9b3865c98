import { createHash, randomBytes } from 'node:crypto';
import type { ApiResponse, Credentials, World } from './api.ts';
import { expected } from './api.ts';

/** The app's page for log-ins. */
export const appPage = 'https://app.example.com/in';

/** A log-in as an app begins it. */
export interface Began {
  readonly response: ApiResponse;
  /** Address at the service. */
  readonly address: URL;
  readonly verifier: string;
}

/** Parameters of `start/` in place of the right ones; undefined leaves one out. */
export type StartParameters = Readonly<Record<string, string | undefined>>;

/** An app with an API key, whose users log in by redirect. */
export interface RedirectApp {
  readonly key: string;
  readonly keyId: number;
  start(provider: string, parameters?: StartParameters): Promise<Began>;
  /** Brings the browser back from a service; returns the address to which it is sent. */
  callback(provider: string, parameters: URLSearchParams, method?: 'GET' | 'POST'): Promise<URL>;
  exchange(code: string | null, verifier: string, as?: Credentials): Promise<ApiResponse>;
}

/** Creates an app. */
export async function openRedirectApp(
  world: World,
  flags: Readonly<Record<string, boolean>> = { allow_user_create: true },
): Promise<RedirectApp> {
  const { id: keyId, api_key: key } = await world.create('api_keys/', flags);
  return {
    key,
    keyId,
    start: async (provider, parameters = {}) => {
      const verifier = randomBytes(32).toString('base64url');
      const right: StartParameters = {
        key: String(keyId),
        redirect: appPage,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      };
      const all = Object.entries({ ...right, ...parameters }).filter(isGiven);
      const query = new URLSearchParams(all);
      const response = await world.call(undefined, 'GET', `user/auth/${provider}/start/?${query}`);
      const address = new URL(response.headers.get('location') ?? 'none:');
      return { response, address, verifier };
    },
    callback: async (provider, parameters, method = 'GET') => {
      const path = `user/auth/${provider}/callback/`;
      const response =
        method === 'GET'
          ? await world.call(undefined, 'GET', `${path}?${parameters}`)
          : await world.call(undefined, 'POST', path, parameters);
      expected(response, 303);
      return new URL(response.headers.get('location') ?? '');
    },
    exchange: (code, verifier, as = key) =>
      world.call(as, 'POST', 'user/auth/exchange/', { code, code_verifier: verifier }),
  };
}

function isGiven(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

/** Returns the S256 challenge of a verifier. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Sets up services and the app's page. */
export async function setUpServices(
  world: World,
  providers: readonly object[],
  more: object = {},
): Promise<void> {
  const body = { email: 'optional', redirects: [appPage], providers, ...more };
  expected(await world.own('PATCH', 'user_settings/', body), 200);
}
