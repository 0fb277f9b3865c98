import { endpointRoute, type Route } from '../../shared/core/family.ts';
import type { ScriptRuntime } from '../../shared/ports/script-runner.ts';
import { type RuntimeName, runtimeNames } from '../../shared/scripts/script-runtimes.ts';
import { scriptAccess } from './access.ts';
import { belowScripts } from './paths.ts';

const languages: Readonly<
  Record<ScriptRuntime, { readonly name: string; readonly version: string }>
> = {
  node: { name: 'Node.js', version: process.versions.node },
  python: { name: 'Python 3', version: '3' },
};

/** Returns a runtime as clients see it (docs/reference/scripts.md#runtimes). */
function describe({ runtime, libraryVersion, isDeprecated }: RuntimeName) {
  return {
    ...languages[runtime],
    library: null,
    library_version: libraryVersion,
    deprecated: isDeprecated === true,
    image: runtime,
    packages: null,
  };
}

const listed = Object.entries(runtimeNames).filter(([, { isAlias }]) => isAlias !== true);
const runtimes = listed.map(([name, each]) => [name, describe(each)] as const);

const paths = belowScripts('runtimes/');

/** The route of available script runtimes. */
export const runtimesRoute: Route = endpointRoute({
  name: 'Script Runtimes',
  operationNames: { GET: { id: 'listScriptRuntimes', summary: 'List script runtimes' } },
  path: paths['v1.1'],
  v1Path: paths.v1,
  access: scriptAccess,
  operations: {
    GET: {
      right: 'G',
      run: async ({ platform }) => {
        const isolation = await platform.scriptIsolation();
        const body = runtimes.map(([name, each]) => [name, { ...each, isolation }]);
        return { status: 200, body: Object.fromEntries(body) };
      },
    },
  },
});
