/** The list of data endpoints below the version. */
export const dataEndpointsPath = '/instances/{instance}/endpoints/data/';
/** The same in version 1. */
export const dataEndpointsV1Path = '/instances/{instance}/api/objects/';
