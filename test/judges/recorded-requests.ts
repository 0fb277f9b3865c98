import { appendFileSync, mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { recordFolder } from './record-folder.ts';
import { hasFreeBody, shapeOf } from './request-shape.ts';

/*
 * Requests of AWS clients, as they arrive, for a judge of their form (judge.py). Nothing is recorded unless a folder is
 * named. Of requests with the same structure, the first few are stored and the others are counted.
 */

/** A request on the wire. */
export interface WireRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A structure, and what was recorded of it. */
interface Recorded {
  stored: number;
  /** Since the last save. */
  lines: string[];
}

const storedPerShape = 12;
const largeBytes = 65_536; // of a larger body one instance is stored

const shapes = new Map<string, Recorded>();
let unsaved = 0;

/** Records a request, if a folder is named. */
export function recordRequest(request: WireRequest, body: Buffer): void {
  if (recordFolder === undefined) return;
  const { method = '', url = '', headers } = request;
  const service = signedService(url, headers);
  if (service === undefined) return; // anyone may send requests without a signature: they are not of a client
  unsaved += 1;
  const shape = shapeOf({ service, method, url, headers, body });
  const recorded = shapes.get(shape) ?? { stored: 0, lines: [] };
  shapes.set(shape, recorded);
  if (recorded.stored >= (body.length > largeBytes ? 1 : storedPerShape)) return;
  recorded.stored += 1;
  const text = hasFreeBody(service, method, url) ? '' : body.toString();
  recorded.lines.push(JSON.stringify({ service, method, url, headers, body: text }));
}

/** Records the commands that clients with a mock have received, which nothing sends, and writes them. */
export function recordMocked(
  mocks: readonly { readonly calls: () => readonly MockedCall[] }[],
): void {
  if (recordFolder === undefined) return;
  for (const { thisValue, args } of mocks.flatMap((mock) => mock.calls())) {
    unsaved += 1;
    const client = thisValue.constructor.name;
    const operation = args[0].constructor.name.replace(/Command$/, '');
    const line = JSON.stringify({ client, operation, input: args[0].input });
    const shape = line.replaceAll(/\d+/g, '0');
    if (shapes.has(shape)) continue;
    shapes.set(shape, { stored: 1, lines: [line] });
  }
  saveRequests();
}

/** A call of a client's `send`. */
interface MockedCall {
  readonly thisValue: object;
  readonly args: readonly [command: { readonly input: object }, ...more: unknown[]];
}

/** Writes what was recorded since the last time. */
export function saveRequests(): void {
  if (recordFolder === undefined || unsaved === 0) return;
  const lines = [...shapes.values()].flatMap((recorded) => recorded.lines.splice(0));
  lines.push(JSON.stringify({ requests: unsaved }));
  unsaved = 0;
  mkdirSync(recordFolder, { recursive: true });
  const file = join(recordFolder, `${process.pid}.requests.jsonl`); // one writer
  appendFileSync(file, lines.map((line) => `${line}\n`).join(''));
}

/** Returns the service for which a request, or its address, is signed; the address may be of anyone, and malformed. */
function signedService(url: string, headers: IncomingHttpHeaders): string | undefined {
  const scope = `${headers.authorization ?? ''} ${url.replaceAll(/%2f/gi, '/')}`;
  return /\/([a-z0-9-]+)\/aws4_request/.exec(scope)?.[1];
}
