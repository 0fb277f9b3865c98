import type { Route } from '../../shared/core/resource/route.ts';
import type { Version } from '../../shared/core/resource/versions.ts';

/** The list of script endpoints below the version. */
export const path = '/instances/{instance}/endpoints/scripts/';
/** The same in version 1. */
export const v1Path = '/instances/{instance}/webhooks/';

/** Paths of public links below the instance, as links show them, in each version. */
export const publicPaths: Readonly<Record<Version, string>> = {
  'v1.1': '/sockets/endpoints/scripts/p/',
  v1: '/webhooks/p/',
};

/** Returns routes for one version only: the other one has different routes in their place. */
export function onlyIn(version: Version, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const path = route.paths[version];
    return { ...route, paths: path === undefined ? {} : { [version]: path } };
  });
}
