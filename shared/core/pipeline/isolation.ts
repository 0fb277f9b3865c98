import { maySetHeader } from '../../values/text/response-headers.ts';
import type { Response } from '../http/message.ts';

const name = 'Content-Security-Policy';
/** Everything that a page may need, except our origin: its storage may hold the keys of users of our pages. */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/**
 * Isolates a foreign response in an origin of its own, for example that of a script or a template. Its other headers
 * cannot prevent this. Headers that such a response may not set are removed: with `NEL`, for example, a browser would
 * report the URLs of all requests to our origin, and public links in them, to third parties.
 */
export function isolate(response: Response): Response {
  const others = Object.entries(response.headers ?? {}).filter(([header]) => maySetHeader(header));
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
