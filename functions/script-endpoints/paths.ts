import type { Version } from '../../shared/core/routing/versions.ts';

/** The list of script endpoints below the version. */
export const scriptEndpointsPath = '/instances/{instance}/endpoints/scripts/';
/** The same in version 1. */
export const scriptEndpointsV1Path = '/instances/{instance}/webhooks/';

/** Paths of public links below the instance, as links show them, in each version. */
export const publicPaths: Readonly<Record<Version, string>> = {
  'v1.1': '/sockets/endpoints/scripts/p/',
  v1: '/webhooks/p/',
};
