/**
 * What serves the API suite, if it is not the local platform: a store on DynamoDB, a store with late indexes, one
 * whose instances have been restored, or the functions of a deployment under their roles. Each has a vitest configuration of its own.
 */
export type Medium = 'dynamodb' | 'late' | 'restored' | 'roles';

/** The medium of this run; undefined: the local platform with everything in memory. */
export const medium = process.env.TEST_MEDIUM as Medium | undefined; // set by those configurations alone

/**
 * Checks whether this run uses one of these media, for `it.skipIf` and `describe.skipIf`. Files that cannot run on a
 * medium are listed in its configuration.
 */
export function isOn(...media: readonly Medium[]): boolean {
  return medium !== undefined && media.includes(medium);
}

/** Whether a deployment has a CDN; in a run on other media it does not matter. */
export const hasCdn = process.env.TEST_CDN !== 'false'; // set by a project of the configuration of roles
