import { type RequestOptions, request } from 'node:http';
import type { ServerProcess } from './server-process.ts';

/** A response, its body parsed. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

/** Headers of a request. */
export type Headers = Readonly<Record<string, string>>;

/** Target of a request: a port of this machine, or a Unix socket. */
export type Place = Pick<RequestOptions, 'socketPath' | 'host' | 'port'>;

/** The port that a server listens on. */
export const portOf = ({ url }: ServerProcess): Place => ({
  host: '127.0.0.1',
  port: new URL(url).port,
});

/** Sends JSON with headers that `fetch` does not allow; GET without a body. */
export function send(
  place: Place,
  path: string,
  body?: object,
  headers: Headers = {},
): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const method = body === undefined ? 'GET' : 'POST';
  const type = { 'Content-Type': 'application/json', 'Content-Length': String(text.length) };
  return new Promise((resolve, reject) => {
    const call = request(
      { ...place, path, method, headers: { ...type, ...headers } },
      (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (part) => {
          received += part;
        });
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(received) }),
        );
      },
    );
    call.once('error', reject);
    call.end(text);
  });
}

let instances = 0;

/** Runs a script in the sandbox of the server, and returns its response. */
export async function runScript(server: ServerProcess, key: string, source: string, args: object) {
  const place = portOf(server);
  const as = { 'X-API-KEY': key };
  instances += 1;
  const name = `scripts-${instances}`;
  const base = `/v1.1/instances/${name}/`;
  await send(place, '/v1.1/instances/', { name }, as);
  const sent = { runtime_name: 'nodejs_v8', source, config: { timeout: 120 } };
  const script = (await send(place, `${base}snippets/scripts/`, sent, as)).body.id;
  await send(place, `${base}endpoints/scripts/`, { name: 'run', script }, as);
  return send(place, `${base}endpoints/scripts/run/run/`, args, as);
}

/** Guesses a password 300 times, at last with the right one, each time with another forged address. */
const guessing = `
const { request } = require('http');
const { port, email, password } = ARGS;
const counts = {};
function guess(n) {
  const from = '198.51.100.' + (n % 250);
  const headers = {
    'Content-Type': 'application/json',
    'X-Forwarded-For': from,
    'X-Real-IP': from,
    Forwarded: 'for=' + from,
    'X-Groundwork-Proxy-Secret': 'guessed',
  };
  const where = { host: '127.0.0.1', port, path: '/v1.1/account/auth/', method: 'POST', agent: false };
  const localAddress = '127.0.' + (n % 3) + '.' + (2 + (n % 200));
  return new Promise((resolve, reject) => {
    const call = request({ ...where, localAddress, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    call.once('error', reject);
    call.end(JSON.stringify({ email, password: n < 300 ? 'wrong ' + n : password }));
  });
}
(async () => {
  for (let n = 1; n <= 300; n += 1) {
    const status = await guess(n);
    counts[status] = (counts[status] || 0) + 1;
  }
  setResponse(new HttpResponse(200, counts));
})();
`;

/** Has a script guess the password of an account; returns the count of each status. */
export async function guess(
  server: ServerProcess,
  key: string,
  email: string,
  password: string,
): Promise<Answer> {
  const { port } = portOf(server);
  return runScript(server, key, guessing, { port, email, password });
}

/** The result where all attempts are counted for one address. */
export const heldBack = { status: 200, body: { 401: 10, 429: 290 } };
