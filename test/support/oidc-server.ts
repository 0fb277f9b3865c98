import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real server of OpenID Connect on this machine. */
export interface OidcServer {
  readonly issuer: string;
  /** Host and port. */
  readonly host: string;
  /** Allows an app of these callbacks. */
  serve(client: { readonly id: string; readonly secret: string; readonly callback: string }): void;
  /** Logs a user in as a browser without scripts does; returns the address to which the server sends it then. */
  logIn(address: URL, login: string): Promise<URL>;
  close(): Promise<void>;
}

/** Starts a server. Users have addresses at `example.com`, which are verified unless their names begin with `un`. */
export async function startOidcServer(): Promise<OidcServer> {
  let listener: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
  const issuer = `http://${host}`;
  return {
    issuer,
    host,
    serve: ({ id, secret, callback }) => {
      listener = new Provider(issuer, {
        clients: [{ client_id: id, client_secret: secret, redirect_uris: [callback] }],
        pkce: { required: () => true },
        claims: { openid: ['sub'], email: ['email', 'email_verified'] },
        findAccount: (_: unknown, name: string) => accountOf(name),
        cookies: { keys: ['of the tests'] },
        jwks: { keys: [signingKey] },
        ttl: { Interaction: 60, Session: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
      }).callback();
    },
    logIn: (address, login) => browse(address, login, issuer),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const signingKey = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: 'k1',
  alg: 'RS256',
  use: 'sig',
};

function accountOf(name: string) {
  const claims = {
    sub: name,
    email: `${name}@example.com`,
    email_verified: !name.startsWith('un'),
  };
  return { accountId: name, claims: () => Promise.resolve(claims) };
}

/** Follows redirects of the server and sends its forms, until it sends the browser elsewhere. */
async function browse(start: URL, login: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let page = 0; page < 12; page += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    keepCookies(response, cookies);
    const next = await nextStep(response, login);
    url = new URL(next.to, url);
    if (url.origin !== issuer) return url;
    form = next.form;
  }
  throw new Error('the server does not end');
}

function keepCookies({ headers }: Response, cookies: Map<string, string>): void {
  for (const line of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
}

interface Step {
  readonly to: string;
  readonly form?: URLSearchParams;
}

/** Returns where a response leads: a redirect, or the form of its page. */
async function nextStep(response: Response, login: string): Promise<Step> {
  const location = response.headers.get('location');
  const text = await response.text();
  if (location !== null) return { to: location };
  const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? [];
  const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
  if (action === undefined) throw new Error(`no form: ${response.status} ${text}`);
  return { to: action, form: new URLSearchParams({ prompt, login, password: 'any' }) };
}
