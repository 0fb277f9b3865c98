/**
 * Returns the address of a path from the root of a server, as links of the interface are: below the path of the server.
 *
 * @param server its address, without a slash at the end
 * @throws Error for a path that leads out of the server: its keys must not reach another one
 */
export function addressBelow(server: string, path: string): URL {
  const root = `${server.replace(/\/+$/, '')}/`;
  const address = new URL(path.startsWith('/') ? root + path.slice(1) : path, root);
  const isInside = address.href.startsWith(new URL(root).href);
  if (!isInside || /^[/\\]{2}/.test(path)) {
    throw new Error(`${path} is not below the address of the server, ${server}`);
  }
  return address;
}
