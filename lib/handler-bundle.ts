import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { bundleAssets } from '../shared/http/page/bundle-assets.mjs';
import { programBundle, templateProgramFile } from '../shared/runtimes/child-bundle.ts';
import { nodeRuntimeFiles, pythonRuntimeFiles } from './script-runtime.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * How handlers are bundled, for the deployment, the tests and the bench alike: one file that is loaded with the
 * function, and beside it what is imported later, if at all.
 */
const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20', // the runtime is 24; so the bundles run where the tests run
  format: 'esm',
  splitting: true,
  outExtension: { '.js': '.mjs' }, // Lambda takes these for ES modules
  mainFields: ['module', 'main'],
  // CommonJS packages in an ES module ask for Node's own modules by `require`
  banner: {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  },
  alias: { '@aws-sdk/credential-provider-node': './shared/aws/credentials.ts' }, // see there
  legalComments: 'none',
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Name of the file in a bundle's folder that holds the handler. */
export const bundleFile = 'index.mjs';

/** The family whose function packs scripts: it carries what lies beside each of them. */
const packing = 'background';

const templateProgram = join(root, 'shared/runtimes/templates/program.ts');

/** Bundles the handler of a family into `folder`, and beside it what renders templates, which shares nothing with it. */
export function bundleHandler(family: string, folder: string): void {
  const entryPoints = { index: join(handlerFolder(family), 'handler.ts') };
  const define = {
    ...bundleAssets().define,
    ...(family === packing ? { SCRIPT_RUNTIME_FILES: runtimeFiles() } : {}),
  };
  buildSync({ ...bundleOptions, define, entryPoints, outdir: folder });
  const outfile = join(folder, templateProgramFile);
  buildSync({ ...programBundle, entryPoints: [templateProgram], outfile });
}

/** JSON of what shared/aws/runtime-files.ts exports. */
function runtimeFiles(): string {
  return JSON.stringify({ node: nodeRuntimeFiles(), python: pythonRuntimeFiles() });
}

/** The bundle of a family's handler as code of a Lambda function, made while the stack is synthesised. */
export function handlerCode(family: string): Code {
  return Code.fromAsset(handlerFolder(family), {
    assetHashType: AssetHashType.OUTPUT, // a function is deployed again when its bundle has changed
    bundling: {
      image: DockerImage.fromRegistry('unused'), // asked for, but all is done here
      local: {
        tryBundle: (folder) => {
          bundleHandler(family, folder);
          return true;
        },
      },
    },
  });
}

function handlerFolder(family: string): string {
  return join(root, 'functions', family);
}
