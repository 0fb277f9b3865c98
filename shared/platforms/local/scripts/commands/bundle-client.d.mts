/**
 * Bundles the old service's client for scripts, from its installed package, minified, by esbuild.
 *
 * @param root folder of the project, with a slash at the end
 * @returns a function that packages.cjs calls in each run that requires the client: its source, by brotli, in base64
 */
export function bundleClient(root: string, buildSync: typeof import('esbuild').buildSync): string;

/**
 * Returns the folder of the bundled client, `syncano.txt`, which is made first if the packages have changed since. It
 * contains nothing else.
 *
 * @param root folder of the project, with a slash at the end
 * @throws Error when the packages are missing, or the folder cannot be written
 */
export function clientFolder(root: string): Promise<string>;
