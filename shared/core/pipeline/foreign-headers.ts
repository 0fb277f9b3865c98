import { maySetHeader } from '../../values/text/response-headers.ts';
import { joinPolicies } from '../http/foreign-content.ts';
import type { Response } from '../http/message.ts';

/**
 * Removes the headers that foreign code, for example a script or a template, may not set: with `NEL`, a browser would
 * report the URLs of all requests to our origin, and public links in them, to third parties. Policies become one header.
 */
export function keepForeignHeaders(response: Response): Response {
  const kept = Object.entries(response.headers ?? {}).filter(([name]) => maySetHeader(name));
  return Object.assign({}, response, { headers: joinPolicies(kept) });
}
