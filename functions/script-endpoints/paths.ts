import type { Known, Route } from '../../shared/core/resource/route.ts';
import type { Version } from '../../shared/core/resource/versions.ts';
import { scriptEndpointEntity } from '../../shared/store/entities.ts';
import type { Key } from '../../shared/store/store.ts';

/** The list of script endpoints below the version. */
export const path = '/instances/{instance}/endpoints/scripts/';
/** The same in version 1. */
export const v1Path = '/instances/{instance}/webhooks/';

/** Below the instance, where public links are: as links show them, in each version. */
export const publicPaths: Readonly<Record<Version, string>> = {
  'v1.1': '/sockets/endpoints/scripts/p/',
  v1: '/webhooks/p/',
};

/** Where the script endpoint of a call is. */
export function endpointKey({
  instance,
  params,
}: Pick<Known, 'instance' | 'params'>): Key | undefined {
  return instance === undefined || params.endpoint === undefined
    ? undefined
    : scriptEndpointEntity.key(instance, params.endpoint);
}

/** Routes as one version has them: the other one has others in their place. */
export function onlyIn(version: Version, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const path = route.paths[version];
    return { ...route, paths: path === undefined ? {} : { [version]: path } };
  });
}
