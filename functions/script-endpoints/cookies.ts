/**
 * Confines a cookie that a script sets to paths of its instance, so that no browser sends it to the scripts of another
 * one: all instances share one host. `Domain` is left out, and a `Path` elsewhere is replaced.
 *
 * @param cookie the value of `Set-Cookie`
 * @param home path of the instance, as in the request, with its last slash
 */
export function confineCookie(cookie: string, home: string): string {
  const [pair = '', ...attributes] = cookie.split(';');
  const named = attributes.map((attribute) => ({ attribute, name: nameOf(attribute) }));
  const path = named.findLast(({ name }) => name === 'path')?.attribute ?? ''; // the last one counts
  const cookiePath = path.slice(path.indexOf('=') + 1).trim();
  const others = named.filter(({ name }) => name !== 'path' && name !== 'domain');
  return [
    pair,
    ...others.map(({ attribute }) => attribute),
    ` Path=${cookiePath.startsWith(home) ? cookiePath : home}`,
  ].join(';');
}

function nameOf(attribute: string): string {
  const end = attribute.indexOf('=');
  return (end < 0 ? attribute : attribute.slice(0, end)).trim().toLowerCase();
}

/** Returns the path of the instance that a path is in, for example `/v1.1/instances/blog/`. */
export function homeOf(path: string): string {
  return `${path.split('/').slice(0, 4).join('/')}/`;
}
