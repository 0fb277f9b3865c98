import type { Response } from './message.ts';

const name = 'Content-Security-Policy';
/** All that a page may need, but not our origin: its storage may hold the keys of who browses us. */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/**
 * Gives an answer that is not ours, such as what a script or a template has made, an origin of its own in browsers,
 * whatever else its headers say.
 */
export function isolate(response: Response): Response {
  const others = Object.entries(response.headers ?? {});
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
