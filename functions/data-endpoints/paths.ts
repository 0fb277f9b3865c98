/** The list of data endpoints below the version. */
export const path = '/instances/{instance}/endpoints/data/';
/** The same in version 1. */
export const v1Path = '/instances/{instance}/api/objects/';
