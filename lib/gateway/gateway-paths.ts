import type { Family, Route } from '../../shared/core/routing/route.ts';

/** A path in the gateway's syntax, and the family whose function serves it. */
export interface GatewayPath {
  /** Without a trailing slash; the last segment may be `{proxy+}`. */
  readonly path: string;
  readonly family: string;
}

interface Node {
  readonly children: Map<string, Node>;
  /** The family of the route that ends at this node. */
  own: string | undefined;
}

/**
 * Derives the gateway's paths from the map: for each family the fewest prefixes below which no other family has paths.
 *
 * The paths rely only on documented behaviour of the gateway: it prefers a full match to `{proxy+}`, and `{proxy+}` to
 * `$default`; of two full matches, the one whose segment is fixed. All paths of the interface end with a slash, which a gateway path must not have, and it is undocumented
 * whether that slash is ignored, and whether `{proxy+}` or any variable matches the empty text after it. Each prefix is
 * therefore listed twice, alone and with `{proxy+}`. It is also undocumented which of two matching paths with `{proxy+}`
 * is preferred, so a path with other families below it is listed without `{proxy+}`.
 *
 * Whatever matches no path reaches `$default`, whose function forwards it to the function of its family
 * (shared/platforms/aws/requests/fallback.ts): every list, if `{proxy+}` does not match an empty text.
 */
export function gatewayPaths(
  families: readonly Pick<Family, 'name' | 'routes'>[],
): readonly GatewayPath[] {
  const root = createNode();
  const home: GatewayPath[] = [];
  for (const { name: family, routes } of families) {
    for (const route of routes) {
      if (route.isRoot) home.push({ path: '/', family });
      for (const path of pathsOf(route)) insert(root, path, family);
    }
  }
  return [...home, ...[...root.children].flatMap(([name, node]) => walk(node, `/${name}`))];
}

function pathsOf({ paths }: Route): readonly string[] {
  return Object.entries(paths).map(([version, path]) => `/${version}${path}`);
}

function createNode(): Node {
  return { children: new Map(), own: undefined };
}

function insert(root: Node, path: string, family: string): void {
  let node = root;
  for (const segment of path.split('/').slice(1, -1)) {
    const next = node.children.get(segment) ?? createNode();
    node.children.set(segment, next);
    node = next;
  }
  node.own = family;
}

function walk(node: Node, path: string): readonly GatewayPath[] {
  const [family, ...others] = familiesOf(node);
  if (family !== undefined && others.length === 0) {
    return [path, `${path}/{proxy+}`].map((each) => ({ path: each, family }));
  }
  const own = node.own === undefined ? [] : [{ path, family: node.own }];
  return [...own, ...[...node.children].flatMap(([name, child]) => walk(child, `${path}/${name}`))];
}

function familiesOf({ own, children }: Node): ReadonlySet<string> {
  const families = new Set([...children.values()].flatMap((child) => [...familiesOf(child)]));
  if (own !== undefined) families.add(own);
  return families;
}
