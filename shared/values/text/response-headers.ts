/**
 * Headers that foreign code may set, in lower case: a script, or what a template renders
 * (docs/reference/scripts.md#response-headers). All of them concern this one response. A proxy, a browser or a later
 * standard may obey any other.
 */
const allowed: ReadonlySet<string> = new Set([
  'content-type',
  'content-disposition',
  'content-language',
  'content-encoding',
  'content-range',
  'accept-ranges',
  'cache-control',
  'expires',
  'pragma',
  'vary',
  'last-modified',
  'location',
  'set-cookie',
  'etag',
  'link',
  'www-authenticate',
  'retry-after',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
  'content-security-policy', // the isolation adds its own policy, and all policies apply
]);

/**
 * `X-*` headers that a proxy in front of the server obeys, or that it sends to name a client. nginx, also with its
 * module for archives, LiteSpeed, Apache, lighttpd, Perlbal and Envoy have such orders.
 */
const orders =
  /^x-(?:accel|sendfile|litespeed|reproxy|real|forwarded|lighttpd|archive|envoy)(?![a-z])|^x-sendfile/;

/**
 * Returns whether foreign code may set a header, whatever its case. Of `X-*` only names of letters, digits and hyphens
 * pass: some proxies read `_` as `-`.
 */
export function maySetHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return allowed.has(lower) || (/^x-[a-z0-9-]+$/.test(lower) && !orders.test(lower));
}
