import type { Family, Route } from '../shared/core/resource/route.ts';

/** A path in the gateway's syntax, and the family whose function serves it. */
export interface GatewayPath {
  /** Without a last slash; the last segment may be `{proxy+}`. */
  readonly path: string;
  readonly family: string;
}

interface Node {
  readonly children: Map<string, Node>;
  /** The family of the route that ends here. */
  own: string | undefined;
}

/**
 * Derives the gateway's paths from the map: for each family the prefixes below which no other family serves, in minimal
 * number. Paths that match none of them go to the function that has the whole map.
 *
 * They rely only on documented behaviour of the gateway: it prefers a full match to one by `{proxy+}`, and that one to
 * `$default`. All our paths end in a slash, which a path of the gateway may not, and it is undocumented whether
 * `{proxy+}` matches the empty text after a last slash; so a prefix is listed twice, alone and with `{proxy+}`. It is
 * also undocumented which of two paths with `{proxy+}` is preferred when both match: no two such paths are of different
 * families. Therefore a path with other families below it is listed without `{proxy+}`.
 */
export function gatewayPaths(families: readonly Family[]): readonly GatewayPath[] {
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
