import { type PathParameter, pathParameter } from '../../values/text/path-parameters.ts';
import type { Params } from './known.ts';
import { parseParameter } from './path-parameters.ts';
import type { Route } from './route.ts';
import { type Version, versions } from './versions.ts';

/** The route that a path matches, with version and parameters. */
export interface Match<Target = Route> {
  readonly route: Target;
  readonly version: Version;
  readonly params: Params;
}

/** Finds the route of a percent-decoded path; undefined: no such path. A promise: its code is loaded first. */
export type Router = (path: string) => Match | undefined | Promise<Match | undefined>;

/** The paths of a route. */
export type RoutePaths = Pick<Route, 'paths' | 'isRoot'>;

interface Node<Target> {
  readonly fixed: Map<string, Node<Target>>;
  parameter: ParameterNode<Target> | undefined;
  route: Target | undefined;
}

interface ParameterNode<Target> {
  readonly name: string;
  readonly accepts: PathParameter;
  readonly node: Node<Target>;
}

/**
 * Compiles routes into one tree per version, searched segment by segment. A fixed segment takes precedence over a
 * parameter. Every path ends in `/`; without it a path is unknown (docs/reference/requests.md#trailing-slash).
 */
export function createRouter<Target extends RoutePaths>(
  routes: readonly Target[],
): (path: string) => Match<Target> | undefined {
  const trees = new Map<string, { version: Version; root: Node<Target> }>(
    versions.map((version) => [version, { version, root: createNode<Target>() }]),
  );
  for (const route of routes) {
    for (const version of versions) {
      const tree = trees.get(version);
      const path = route.paths[version];
      if (path !== undefined && tree !== undefined) insert(tree.root, path, route);
    }
  }
  const olderNames = namesOfVersion1(routes);
  const root = routes.find((route) => route.isRoot);
  return (path) => {
    if (path === '/' && root !== undefined)
      return { route: root, version: versions[0], params: {} };
    const [before, version, ...segments] = path.split('/');
    const tree = trees.get(version ?? '');
    if (before !== '' || tree === undefined || segments.pop() !== '') return undefined;
    const match = find(tree.root, segments, tree.version);
    if (match !== undefined || tree.version !== 'v1') return match;
    const [instances = '', instance = '', family, list, ...rest] = segments;
    const older = olderNames.get(`${family}/${list}`);
    return older && find(tree.root, [instances, instance, ...older, ...rest], tree.version);
  };
}

/**
 * Finds lists of an instance that version 1 names otherwise, by their names in v1.1: version 1 has those in addition to
 * its own, because documented samples use them.
 */
function namesOfVersion1(routes: readonly RoutePaths[]): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  for (const { paths } of routes) {
    if (paths.v1 === undefined || paths['v1.1'] === undefined || paths.v1 === paths['v1.1'])
      continue;
    const older = paths.v1.split('/');
    const newer = paths['v1.1'].split('/');
    while (older.at(-1) === newer.at(-1)) {
      older.pop();
      newer.pop();
    }
    names.set(newer.slice(3).join('/'), older.slice(3)); // below the instance
  }
  return names;
}

/** Creates a router that caches each path: for few requests, which mostly have the same paths. */
export function rememberPaths(router: Router): Router {
  const known = new Map<string, Match | undefined>();
  return (path) => {
    if (known.has(path)) return known.get(path);
    const match = router(path);
    if (!(match instanceof Promise)) known.set(path, match);
    return match;
  };
}

function createNode<Target>(): Node<Target> {
  return { fixed: new Map(), parameter: undefined, route: undefined };
}

function insert<Target>(root: Node<Target>, path: string, route: Target): void {
  let node = root;
  for (const segment of path.split('/').slice(1, -1)) {
    node = segment.startsWith('{')
      ? parameterNode(node, segment.slice(1, -1))
      : fixedNode(node, segment);
  }
  if (node.route !== undefined) throw new Error(`two routes at ${path}`);
  node.route = route;
}

function fixedNode<Target>(node: Node<Target>, segment: string): Node<Target> {
  const next = node.fixed.get(segment) ?? createNode<Target>();
  node.fixed.set(segment, next);
  return next;
}

function parameterNode<Target>(node: Node<Target>, name: string): Node<Target> {
  node.parameter ??= { name, accepts: pathParameter(name), node: createNode() };
  if (node.parameter.name !== name) throw new Error(`two parameters at one place: {${name}}`);
  return node.parameter.node;
}

function find<Target>(
  root: Node<Target>,
  segments: readonly string[],
  version: Version,
): Match<Target> | undefined {
  const findBelow = (node: Node<Target>, at: number, params: Params): Match<Target> | undefined => {
    const segment = segments[at];
    if (segment === undefined) {
      return node.route && { route: node.route, version, params };
    }
    const fixed = node.fixed.get(segment);
    const match = fixed && findBelow(fixed, at + 1, params);
    if (match !== undefined || node.parameter === undefined || segment === '') return match;
    const { name, accepts, node: below } = node.parameter;
    const parsed = parseParameter(name, segment, accepts);
    if (accepts.isExact && !(name in parsed)) return undefined;
    return findBelow(below, at + 1, Object.assign({}, params, parsed));
  };
  return findBelow(root, 0, {});
}
