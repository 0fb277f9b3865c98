import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** One request. A `body` that is no text, bytes or form is sent as JSON. */
export interface Call {
  readonly method?: string;
  /** From the root, with query. */
  readonly path: string;
  readonly as?: Credentials;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The caller: none, a key, or an API key on behalf of a user. */
export type Credentials = undefined | string | { readonly key: string; readonly user: string };

/** A response in its form on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed JSON, or the text that is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into responses of every shape
  readonly body: any;
}

/** Names the server of a request that is sent to a proxy. */
export const serverHeader = 'X-Test-Server';

/** A proxy to which all requests are sent; undefined: they are sent to their servers. */
const proxy = process.env.TEST_PROXY; // set by test/openapi/prism.ts

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request. `fetch` would take three times the CPU time, which most of the API suite would then consist of. */
export async function sendRaw(url: string, call: Call): Promise<RawResponse> {
  const { method = call.body === undefined ? 'GET' : 'POST', path, as, headers } = call;
  const { bytes, type } = await encoded(call.body);
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(proxy ?? url);
    const sent = request({ agent, hostname, port, method, path }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, text, body: parsed(text) });
      });
    });
    sent.on('error', reject);
    const all = {
      ...(type && { 'Content-Type': type }),
      ...(bytes && { 'Content-Length': String(bytes.byteLength) }),
      ...keyHeaders(as),
      ...headers,
      ...(proxy && { [serverHeader]: url }),
    };
    for (const [name, value] of Object.entries(all)) sent.setHeader(name, value);
    sent.end(bytes);
  });
}

/** Returns a body's bytes, and its type if it is not raw. */
async function encoded(body: unknown): Promise<{ bytes?: Uint8Array; type?: string }> {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { bytes: body };
  if (typeof body === 'string') return { bytes: Buffer.from(body) };
  if (!(body instanceof FormData || body instanceof URLSearchParams))
    return { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' };
  const form = new Response(body);
  const type = form.headers.get('Content-Type') ?? '';
  return { bytes: new Uint8Array(await form.arrayBuffer()), type };
}

/** Returns the headers with the keys of a caller. */
export function keyHeaders(as: Credentials): Record<string, string> {
  if (as === undefined) return {};
  return typeof as === 'string'
    ? { 'x-api-key': as }
    : { 'x-api-key': as.key, 'x-user-key': as.user };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
