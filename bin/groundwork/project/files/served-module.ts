import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { isJsonObject } from '../../../../shared/values/json/json.ts';

/** The old service's client, which scripts can require (docs/guides/scripts.md#the-client-of-the-old-service). */
const client = { name: 'syncano', version: '1.0.30' } as const;

/**
 * Checks whether scripts can require a module on the server: one of Node, or the old service's client. Where the project
 * has installed another version of the client, it is a package like others.
 *
 * @param folder where the module is imported
 */
export function isServedModule(name: string, folder: string): boolean {
  if (isBuiltin(name)) return true;
  return name === client.name && (installedVersion(folder) ?? client.version) === client.version;
}

/** Leaves the client out of bundles, so that it has the server's address. */
export const servedClient: Plugin = {
  name: 'served client',
  setup: ({ onResolve }) => {
    onResolve({ filter: new RegExp(`^${client.name}$`) }, ({ path, resolveDir }) =>
      isServedModule(path, resolveDir) ? { path, external: true } : undefined,
    );
  },
};

function installedVersion(folder: string): unknown {
  try {
    const load = createRequire(join(folder, 'main.js'));
    const found: unknown = load(`${client.name}/package.json`);
    return isJsonObject(found) ? found.version : undefined;
  } catch {
    return undefined; // it is not installed
  }
}
