import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';
import { bundleConsole } from '../console/bundle.mjs';
import { api, routes } from '../functions/api.ts';
import { buildDocuments } from '../functions/schema/built-documents.ts';
import { makeDocument } from '../functions/schema/make-document.ts';
import { referenceFiles } from '../functions/schema/reference/files.ts';
import { consoleName } from '../shared/console/console.ts';
import type { PackedFiles } from '../shared/console/packed-file.ts';
import { bundleAssets } from '../shared/core/pages/bundle-assets.mjs';
import type { Family } from '../shared/core/routing/route.ts';
import { programBundle, templateProgramFile } from '../shared/runtimes/child-bundle.mjs';
import { fallbackFamily, wholeMap } from './grants.ts';
import { nodeRuntimeFiles, pythonRuntimeFiles } from './script-runtime.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Options of handler bundles for the deployment, the tests and the bench: files that are loaded with the function, and
 * separate files for modules that may be imported later.
 */
const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node20', // the runtime is Node 24, but tests run the bundles on Node 20 too
  format: 'esm',
  splitting: true,
  outExtension: { '.js': '.mjs' }, // Lambda loads .mjs files as ES modules
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Options of the first of two builds, from the sources to parts of a bundle. */
const partOptions = {
  ...bundleOptions,
  absWorkingDir: root,
  alias: { '@aws-sdk/credential-provider-node': './shared/platforms/aws/credentials.ts' }, // see there
  metafile: true,
} as const satisfies BuildOptions;

/** Options of the second build, from the parts to the bundle. */
const joinOptions = {
  ...bundleOptions,
  minify: true,
  // CommonJS packages in an ES module load Node's core modules with `require`
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

const smallest = 11; // the highest quality of Brotli

/** File name of the handler in the folder of a bundle. */
export const bundleFile = 'index.mjs';

/**
 * The function of jobs: its bundle has the `jobs.ts` of each family, and the runtime files of each script, because it
 * packs them.
 */
const background = 'background';

/** The family whose function serves the interface documents: its bundle contains them. */
const describing = 'schema';

const templateProgram = join(root, 'shared/runtimes/templates/program.ts');

/** Bundles a family's handler into `folder`, and the template renderer as a separate program. */
export function bundleHandler(family: string, folder: string, packages?: string): void {
  const define = {
    ...bundleAssets().define,
    // as texts: esbuild makes modules of other values, which every file would load
    ...(family === background
      ? { SCRIPT_RUNTIME_FILES: JSON.stringify(runtimeFiles(packages)) }
      : {}),
    ...(family === consoleName ? consoleDefinitions() : {}),
    ...(family === describing ? { SCHEMA_DOCUMENTS: JSON.stringify(interfaceDocuments()) } : {}),
  };
  const parts = mkdtempSync(join(tmpdir(), 'groundwork-parts-'));
  try {
    const options = { ...partOptions, define, ...entryOf(family), outdir: parts };
    joinStart(parts, buildSync(options).metafile);
    buildSync({ ...joinOptions, absWorkingDir: parts, entryPoints: [bundleFile], outdir: folder });
  } finally {
    rmSync(parts, { recursive: true });
  }
  const outfile = join(folder, templateProgramFile);
  buildSync({ ...programBundle, entryPoints: [templateProgram], outfile });
}

/**
 * Prepares parts so that those that are loaded with the function become one file next to the handler: each file costs
 * half a millisecond at the start, and the whole map has 56. esbuild writes one file for modules that the same entries
 * need, so each part that may be imported later has to need all that are loaded by then.
 */
function joinStart(folder: string, { outputs }: Metafile): void {
  const [entry = ''] = Object.keys(outputs).filter((path) => basename(path) === bundleFile);
  const loaded = new Set<string>();
  const add = (path: string): void => {
    for (const { kind, external, path: imported } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || external || loaded.has(imported)) continue;
      loaded.add(imported);
      add(imported);
    }
  };
  add(entry);
  const imports = [...loaded].map((path) => `import './${basename(path)}';`).join('');
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint === undefined || path === entry || loaded.has(path)) continue;
    const file = join(folder, basename(path));
    writeFileSync(file, imports + readFileSync(file, 'utf8'));
  }
}

/** Returns the module to bundle: the family's handler.ts, or a generated one. */
function entryOf(family: string): Pick<BuildOptions, 'entryPoints' | 'entryNames' | 'stdin'> {
  const resolveDir = handlerFolder(family);
  const own = join(resolveDir, 'handler.ts');
  if (family !== background && existsSync(own)) return { entryPoints: { index: own } };
  const contents = generatedEntry(family);
  return { stdin: { contents, resolveDir, loader: 'ts' }, entryNames: 'index' };
}

function generatedEntry(family: string): string {
  if (family === background) return backgroundEntry();
  if (family === fallbackFamily) return fallbackEntry();
  return family === wholeMap ? wholeEntry() : familyEntry(family);
}

/** Returns a handler that serves the routes of a family. */
function familyEntry(family: string): string {
  const name = valueName(family);
  return `import { routesOf } from '../../shared/core/routing/route.ts';
import { openHandler } from '../../shared/platforms/aws/handler.ts';
import { ${name} } from './resource.ts';
export const handler = await openHandler(routesOf(${name}));`;
}

/**
 * Returns a handler that serves the whole map. It knows the paths of each family, whose code is loaded at the first
 * request to one of them; that of batches, which are most of its requests, at its start.
 */
function wholeEntry(): string {
  const families = api.map((family) => {
    const { name } = family;
    const paths = pathsOf(family);
    const load = `async () => (await import('../${name}/resource.ts')).${valueName(name)}`;
    return `{ paths: ${paths}, load: ${load} }`;
  });
  return `import { lazyRoutes } from '../../shared/core/routing/lazy-routes.ts';
import { openHandler } from '../../shared/platforms/aws/handler.ts';
import './resource.ts';
export const handler = await openHandler(lazyRoutes([${families.join()}]));`;
}

/** Returns a handler that serves the routes of its family, and forwards requests of others, of which it knows the paths. */
function fallbackEntry(): string {
  const name = valueName(fallbackFamily);
  const others = api
    .filter((family) => family.name !== fallbackFamily)
    .map((family) => `{ name: '${family.name}', paths: ${pathsOf(family)} }`);
  return `import { openFallback } from '../../shared/platforms/aws/requests/fallback.ts';
import { ${name} } from './resource.ts';
export const handler = await openFallback(${name}, [${others.join()}]);`;
}

/** Returns the paths of a family's routes as JSON. */
function pathsOf({ routes }: Family): string {
  return JSON.stringify(routes.map(({ paths, isRoot }) => ({ paths, isRoot })));
}

/** Returns the name of a family's value in its `resource.ts`. */
function valueName(family: string): string {
  return family.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns a handler that runs the jobs of all families. The map itself would add the code of all requests. */
function backgroundEntry(): string {
  const families = api.filter(({ jobs }) => jobs !== undefined);
  const imports = families.map(
    ({ name }, at) => `import { jobs as jobs${at} } from '../${name}/jobs.ts';`,
  );
  return `import { openBackground } from './handler.ts';
${imports.join('\n')}
export const handler = openBackground([${families.map((_, at) => `jobs${at}`)}]);`;
}

/** Returns the exports of shared/platforms/aws/scripts/runtime-files.ts as JSON. */
function runtimeFiles(packages?: string): string {
  return JSON.stringify({ node: nodeRuntimeFiles(), python: pythonRuntimeFiles(packages) });
}

/** Returns the definitions of the files of the console, and of the page with all operations. */
function consoleDefinitions(): Readonly<Record<string, string>> {
  const asText = (files: PackedFiles) => JSON.stringify(JSON.stringify(files));
  return {
    CONSOLE_FILES: asText(bundleConsole({ brotliQuality: smallest }).files),
    REFERENCE_FILES: asText(referenceFiles(routes, smallest)),
  };
}

/** Returns the interface documents, so that the function needs no code of the families that they describe. */
function interfaceDocuments(): string {
  return buildDocuments((version, format) => makeDocument(routes, version, format));
}

/**
 * Returns the bundle of a family's handler as Lambda code. It is built while the stack is synthesised.
 *
 * @param packages folder with the operator's set of Python packages, for the family that packs scripts
 */
export function handlerCode(family: string, packages?: string): Code {
  return Code.fromAsset(handlerFolder(family), {
    assetHashType: AssetHashType.OUTPUT, // a function is deployed again when its bundle changes
    bundling: {
      image: DockerImage.fromRegistry('unused'), // required by the type, but the bundling is local
      local: {
        tryBundle: (folder) => {
          bundleHandler(family, folder, packages);
          return true;
        },
      },
    },
  });
}

function handlerFolder(family: string): string {
  return join(root, 'functions', family);
}
