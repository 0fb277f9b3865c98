import type { Params } from '../resource/loads/known.ts';
import type { Route } from '../resource/route.ts';
import { type Version, versions } from '../resource/versions.ts';
import { mayStandFor, parseParameter } from './path-parameters.ts';

/** The route that a path matches, with version and parameters. */
export interface Match {
  readonly route: Route;
  readonly version: Version;
  readonly params: Params;
}

/** Finds the route of a percent-decoded path; undefined: no such path. */
export type Router = (path: string) => Match | undefined;

interface Node {
  readonly fixed: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  route: Route | undefined;
}

/**
 * Compiles routes into one tree per version, searched segment by segment. A fixed segment takes precedence over a
 * parameter. Every path ends in `/`; without it a path is unknown (docs/reference/requests.md#trailing-slash).
 */
export function createRouter(routes: readonly Route[]): Router {
  const trees = new Map<string, { version: Version; root: Node }>(
    versions.map((version) => [version, { version, root: createNode() }]),
  );
  for (const route of routes) {
    for (const version of versions) {
      const path = route.paths[version];
      const tree = trees.get(version);
      if (path !== undefined && tree !== undefined) insert(tree.root, path, route);
    }
  }
  const root = routes.find((route) => route.isRoot);
  return (path) => {
    if (path === '/' && root !== undefined)
      return { route: root, version: versions[0], params: {} };
    const [before, version, ...segments] = path.split('/');
    const tree = trees.get(version ?? '');
    if (before !== '' || tree === undefined || segments.pop() !== '') return undefined;
    return find(tree.root, segments, tree.version);
  };
}

/** Creates a router that caches each path: for few requests, which mostly have the same paths. */
export function rememberPaths(router: Router): Router {
  const known = new Map<string, Match | undefined>();
  return (path) => {
    if (!known.has(path)) known.set(path, router(path));
    return known.get(path);
  };
}

function createNode(): Node {
  return { fixed: new Map(), parameter: undefined, route: undefined };
}

function insert(root: Node, path: string, route: Route): void {
  let node = root;
  for (const segment of path.split('/').slice(1, -1)) {
    node = segment.startsWith('{')
      ? parameterNode(node, segment.slice(1, -1))
      : fixedNode(node, segment);
  }
  if (node.route !== undefined) throw new Error(`two routes at ${path}`);
  node.route = route;
}

function fixedNode(node: Node, segment: string): Node {
  const next = node.fixed.get(segment) ?? createNode();
  node.fixed.set(segment, next);
  return next;
}

function parameterNode(node: Node, name: string): Node {
  node.parameter ??= { name, node: createNode() };
  if (node.parameter.name !== name) throw new Error(`two parameters at one place: {${name}}`);
  return node.parameter.node;
}

function find(root: Node, segments: readonly string[], version: Version): Match | undefined {
  const findBelow = (node: Node, at: number, params: Params): Match | undefined => {
    const segment = segments[at];
    if (segment === undefined) {
      return node.route && { route: node.route, version, params };
    }
    const fixed = node.fixed.get(segment);
    const match = fixed && findBelow(fixed, at + 1, params);
    if (match !== undefined || node.parameter === undefined || segment === '') return match;
    const { name, node: below } = node.parameter;
    if (!mayStandFor(name, segment)) return undefined;
    return findBelow(below, at + 1, { ...params, ...parseParameter(name, segment) });
  };
  return findBelow(root, 0, {});
}
