import { type Family, type Route, routesOf } from './route.ts';
import { createRouter, type RoutePaths, type Router } from './router.ts';

/** A family whose code is loaded when the first request to one of its paths arrives. */
export interface LazyFamily {
  /** The paths of all its routes. */
  readonly paths: readonly RoutePaths[];
  readonly load: () => Promise<Family>;
}

/** The routes of a process that may be loaded later. */
export interface LazyRoutes {
  readonly router: Router;
  /** Returns all routes, in their order: the same list each time. */
  readonly all: () => Promise<readonly Route[]>;
}

/**
 * Creates routes that are loaded by families, each at its first request. Later requests find its routes at once.
 *
 * A path has the same route in the router of its family as in that of the whole map, because which of two routes takes
 * precedence does not depend on others.
 */
export function lazyRoutes(families: readonly LazyFamily[]): LazyRoutes {
  const findFamily = createRouter(
    families.flatMap((family) => family.paths.map((each) => ({ ...each, family }))),
  );
  const loaded = new Map<LazyFamily, Loaded>();
  let routes: readonly Route[] | undefined;

  /** Loads a family. A failure is not cached here: the next request tries again, as far as Node does for a module. */
  async function load(family: LazyFamily): Promise<Loaded> {
    const own = routesOf(await family.load());
    // only the first of parallel loads counts, because routes are compared by identity
    const known = loaded.get(family) ?? { routes: own, router: createRouter(own) };
    loaded.set(family, known);
    return known;
  }

  return {
    router: (path) => {
      const family = findFamily(path)?.route.family;
      if (family === undefined) return undefined;
      const known = loaded.get(family);
      return known ? known.router(path) : load(family).then(({ router }) => router(path));
    },
    all: async () => {
      const all = await Promise.all(families.map(load));
      routes ??= all.flatMap((each) => each.routes);
      return routes;
    },
  };
}

interface Loaded {
  readonly routes: readonly Route[];
  readonly router: Router;
}
