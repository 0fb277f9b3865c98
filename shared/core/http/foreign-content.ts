import type { Request, Response } from './message.ts';

/*
 * The browser storage of our origin has the keys of the console and of our pages. So no script that is not ours may run
 * there (docs/reference/responses.md#foreign-content): a document is either made by our own code, with a policy that
 * allows no other script, or it gets an origin of its own.
 */

const policyHeader = 'content-security-policy';

/** Everything that a page may need, except our origin. */
const sandbox = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

/**
 * Returns the policy by which foreign content has an origin of its own in a browser.
 *
 * @param own policies that the content sets for itself: all of them apply
 */
export function foreignPolicy(own?: string): string {
  return own === undefined ? sandbox : `${own}, ${sandbox}`;
}

/**
 * Isolates every content that is not marked as our own. Sees it before 204 and 304 lose it: a cache replaces the policy of
 * a page that it has by that of a 304.
 */
export function isolateForeign(_: Request, response: Response): Response {
  const { content, stream, headers = {} } = response;
  if (content === undefined ? stream === undefined : content.isOwn) return response;
  const { [policyHeader]: own, ...others } = joinPolicies(Object.entries(headers));
  return Object.assign({}, response, {
    headers: { ...others, [policyHeader]: foreignPolicy(own) },
  });
}

/** Returns headers with their policies as one, in lower case: all of them apply. */
export function joinPolicies(
  headers: readonly (readonly [name: string, value: string])[],
): Record<string, string> {
  const isPolicy = (name: string) => name.toLowerCase() === policyHeader;
  const joined = Object.fromEntries(headers.filter(([name]) => !isPolicy(name)));
  const policies = headers.filter(([name]) => isPolicy(name)).map(([, value]) => value);
  if (policies.length > 0) joined[policyHeader] = policies.join(', ');
  return joined;
}
