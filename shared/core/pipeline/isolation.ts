import type { Response } from '../http/message.ts';

const name = 'Content-Security-Policy';
/** All that a page may need, but not our origin: its storage may hold the keys of who browses us. */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/**
 * What a browser keeps of one answer for all others of our origin, those of other instances too: with `NEL`, for one,
 * it would report to strangers the addresses of all calls, and public links in them.
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
 * Gives an answer that is not ours, such as what a script or a template has made, an origin of its own in browsers,
 * whatever else its headers say. Headers that speak for all of our origin are left out.
 */
export function isolate(response: Response): Response {
  const others = Object.entries(response.headers ?? {}).filter(
    ([header]) => !ofOrigin.has(header.toLowerCase()),
  );
  const policies = others.filter(([header]) => isPolicy(header)).map(([, value]) => value);
  return {
    ...response,
    headers: {
      ...Object.fromEntries(others.filter(([header]) => !isPolicy(header))),
      [name]: [...policies, sandbox].join(', '), // all of them hold
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

function isPolicy(header: string): boolean {
  return header.toLowerCase() === name.toLowerCase();
}
