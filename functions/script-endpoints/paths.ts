import type { Known, Route } from '../../shared/core/resource/route.ts';
import type { Version } from '../../shared/core/resource/versions.ts';
import { scriptEndpointEntity } from '../../shared/store/entities.ts';
import type { Key } from '../../shared/store/store.ts';

/** The list of script endpoints below the version. */
export const path = '/instances/{instance}/endpoints/scripts/';
/** The same in version 1. */
export const v1Path = '/instances/{instance}/webhooks/';

/** Paths of public links below the instance, as links show them, in each version. */
export const publicPaths: Readonly<Record<Version, string>> = {
  'v1.1': '/sockets/endpoints/scripts/p/',
  v1: '/webhooks/p/',
};

/** Returns the key of a request's script endpoint. */
export function endpointKey({
  instance,
  params,
}: Pick<Known, 'instance' | 'params'>): Key | undefined {
  return instance === undefined || params.endpoint === undefined
    ? undefined
    : scriptEndpointEntity.key(instance, params.endpoint);
}

/** Returns routes for one version only: the other one has different routes in their place. */
export function onlyIn(version: Version, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const path = route.paths[version];
    return { ...route, paths: path === undefined ? {} : { [version]: path } };
  });
}
