import { type EdgePorts, type EdgeStep, edgeSteps } from '../core/http/edge.ts';
import type { Response } from '../core/http/message.ts';

/** Steps of the interface that are not for files: those have their own forms, and no reader of another origin. */
const omitted = ['compression', 'CORS'];

/**
 * Returns the steps of the edge for requests to the console.
 *
 * @param origins returns the origins of the files of data objects and of large uploads, where they may differ from that
 *   of the console
 */
export function consoleSteps(
  ports: EdgePorts,
  origins: () => readonly string[],
): readonly EdgeStep[] {
  const headers: EdgeStep['after'] = ({ id }, response) => addHeaders(id, response, origins());
  return edgeSteps(ports)
    .filter(({ name }) => !omitted.includes(name))
    .map((step) => (step.name === 'headers' ? { ...step, after: headers } : step));
}

/** Adds the headers that every response has, unless its file has others. Names are in lower case from here on. */
function addHeaders(id: string, response: Response, origins: readonly string[]): Response {
  const { status, headers = {}, content } = response;
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...response,
    headers: {
      'cache-control': 'no-store',
      ...(content !== undefined && { 'content-type': content.type }),
      ...(content === undefined && status !== 304 && { 'content-length': '0' }),
      'content-security-policy': contentPolicy(origins),
      'cross-origin-opener-policy': 'same-origin',
      ...Object.fromEntries(own),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': id,
    },
  };
}

/** Returns the policy of the console's page: it runs its own files only, and shows and reads files of data objects. */
function contentPolicy(origins: readonly string[]): string {
  const readable = ["'self'", ...origins].join(' ');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${readable}`,
    `img-src ${readable} blob: data:`,
    "font-src 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
