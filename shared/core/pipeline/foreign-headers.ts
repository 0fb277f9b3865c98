import { maySetHeader } from '../../values/text/response-headers.ts';
import type { Response } from '../http/message.ts';

const policyHeader = 'content-security-policy';

/**
 * Removes the headers that foreign code, for example a script or a template, may not set: with `NEL`, a browser would
 * report the URLs of all requests to our origin, and public links in them, to third parties. Policies become one header.
 */
export function keepForeignHeaders(response: Response): Response {
  const kept = Object.entries(response.headers ?? {}).filter(([name]) => maySetHeader(name));
  const policies = kept.filter(([name]) => isPolicy(name)).map(([, value]) => value);
  const headers = Object.fromEntries(kept.filter(([name]) => !isPolicy(name)));
  if (policies.length > 0) headers[policyHeader] = policies.join(', '); // all of them apply
  return Object.assign({}, response, { headers });
}

function isPolicy(name: string): boolean {
  return name.toLowerCase() === policyHeader;
}
