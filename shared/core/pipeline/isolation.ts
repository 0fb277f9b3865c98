import type { Response } from '../http/message.ts';

const name = 'Content-Security-Policy';
/** Everything that a page may need, except our origin: its storage may hold the keys of users of our pages. */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/**
 * Headers of one response that a browser applies to our whole origin, also to other instances. With `NEL`, for example,
 * it would report the URLs of all requests, and public links in them, to third parties.
 */
const ofOrigin = new Set([
  'accept-ch',
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'service-worker-allowed',
  'strict-transport-security',
]);

/**
 * Isolates a foreign response in an origin of its own, for example that of a script or a template. Its other headers
 * cannot prevent this. Headers that apply to our whole origin are removed.
 */
export function isolate(response: Response): Response {
  const others = Object.entries(response.headers ?? {}).filter(
    ([header]) => !ofOrigin.has(header.toLowerCase()),
  );
  const policies = others.filter(([header]) => isPolicy(header)).map(([, value]) => value);
  const headers = Object.assign(
    Object.fromEntries(others.filter(([header]) => !isPolicy(header))),
    {
      [name]: [...policies, sandbox].join(', '), // all of them apply
      'X-Content-Type-Options': 'nosniff',
    },
  );
  return Object.assign({}, response, { headers });
}

function isPolicy(header: string): boolean {
  return header.toLowerCase() === name.toLowerCase();
}
