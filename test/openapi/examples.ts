import { describeOperations } from '../../functions/schema/describe.ts';
import type { Route } from '../../shared/core/routing/route.ts';
import type { Exchange } from './judge.ts';
import { openMatcher } from './matcher.ts';

/** Examples of an operation: bodies of a request and of its response. */
interface Example {
  request?: unknown;
  response?: unknown;
}

const longest = 1500; // characters; the document stays small

/** Returns examples by operation: bodies of the first successful exchange of v1.1, as JSON text. */
export function examplesOf(routes: readonly Route[], exchanges: readonly Exchange[]): string {
  const operationOf = openMatcher(describeOperations(routes, 'v1.1').operations);
  const found = new Map<string, Example>();
  for (const exchange of exchanges) {
    const { status } = exchange;
    const id = operationOf(exchange);
    if (id === undefined || status < 200 || status > 299) continue;
    const example = found.get(id) ?? {};
    found.set(id, example);
    const request = shownBody(exchange.headers['content-type'], exchange.body);
    const response = shownBody(exchange.responseHeaders['content-type'], exchange.responseBody);
    if (exchange.method !== 'GET' && request !== undefined) example.request ??= request;
    if (response !== undefined && isShown(exchange, response)) example.response ??= response;
  }
  const shown = [...found].filter(([, example]) => Object.keys(example).length > 0);
  shown.sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(shown), undefined, 2)}\n`;
}

/** Checks for a response that is whole, and does not depend on how far a run is, like one that was asked for too early. */
function isShown({ method, path }: Exchange, response: unknown): boolean {
  if (/[?&](fields|excluded_fields|template)=/.test(path)) return false;
  const text = JSON.stringify(response);
  const isEarly =
    /"status":"(scheduled|pending|running|processing|uploading)"/.test(text) ||
    text.includes('"objects":[]');
  return method !== 'GET' || !isEarly;
}

/** Returns a body of JSON with fixed values in place of those that differ between runs. */
function shownBody(type: string | undefined, bytes: Buffer): unknown {
  if (!type?.includes('json') || bytes.length === 0) return undefined;
  const body = shorten(JSON.parse(bytes.toString(), fixed));
  return JSON.stringify(body).length > longest ? undefined : body;
}

/** Keeps one object of a page. */
function shorten(body: unknown): unknown {
  const { objects } = Object(body);
  return Array.isArray(objects) ? { ...Object(body), objects: objects.slice(0, 1) } : body;
}

function fixed(name: string, value: unknown): unknown {
  if (name === 'duration') return 12;
  if (name === 'size' && typeof value === 'number') return 1024;
  if (typeof value !== 'string') return value;
  if (name === 'isolation') return 'bubblewrap';
  if (name === 'policy') return 'eyJrZXkiOiJ1cGxvYWRzIn0=';
  return value
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '2026-01-31T12:00:00.000000Z')
    .replace(/\d{4}-\d\d-\d\d/g, '2026-01-31')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:3000')
    .replace(/(-----BEGIN PRIVATE KEY-----\n)[^-]*/g, '$1…\n')
    .replace(/^(scrypt\$\d+\$\d+)\$.*$/, '$1$c2FsdA==$aGFzaA==')
    .replace(/(?<=\buser-)[0-9a-f]{20}\b/g, '0123456789abcdef0123') // a name that was not chosen
    .replace(/[0-9a-f]{32,}/g, (key) => '0123456789abcdef'.repeat(8).slice(0, key.length));
}
