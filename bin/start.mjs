/*
 * Runs `serve.ts`. Its modules are bundled when one of them has changed since the last start: a start then takes
 * about 0.15 s, whereas transforming each module at import takes 0.5 s and more, growing with their number.
 *
 * First it starts the launcher, the process that starts those for scripts: no file or socket is open yet that they
 * could inherit.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bundle = `${root}.build/serve.mjs`;
const record = `${root}.build/serve.json`; // the inputs of the bundle, and when each was changed last

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) fail(`Node 20, 22, 24 or 26 is needed, and this is ${process.version}`);
if (!existsSync(`${root}node_modules/lmdb`)) fail('run npm ci first: packages are missing');
const launcher = spawn(process.execPath, [`${root}shared/platform/local/launcher/launcher.cjs`], {
  stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  env: {},
  detached: true, // the signals of a terminal are for the server
});
launcher.unref();
launcher.channel.unref();
launcher.stdin.unref();
if (!isFresh()) await build();
process.setSourceMapsEnabled(true);
const { main } = await import(pathToFileURL(bundle).href);
await main(launcher);

function fail(reason) {
  process.stderr.write(`groundwork: ${reason}\n`);
  process.exit(1);
}

function isFresh() {
  try {
    const inputs = JSON.parse(readFileSync(record, 'utf8'));
    return statSync(bundle).size > 0 && inputs.every(([path, at]) => changedAt(path) === at);
  } catch {
    return false; // missing or damaged files are built again
  }
}

async function build() {
  const esbuild = await import('esbuild');
  const { bundleAssets } = await import('../shared/core/pages/bundle-assets.mjs');
  const page = bundleAssets();
  const { metafile, outputFiles } = await esbuild.build({
    entryPoints: [`${root}bin/serve.ts`],
    absWorkingDir: root,
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'inline',
    metafile: true,
    define: page.define,
    logLevel: 'error',
    plugins: [{ name: 'own addresses', setup: keepAddresses }],
  });
  await esbuild.stop(); // otherwise its process keeps 80 MB as long as the server runs
  const paths = [
    ...Object.keys(metafile.inputs),
    ...page.inputs.map((path) => relative(root, path)),
  ];
  const inputs = paths.map((path) => [path, changedAt(path)]);
  mkdirSync(`${root}.build`, { recursive: true });
  replace(bundle, outputFiles[0].contents);
  replace(record, JSON.stringify(inputs)); // last: the files that it lists exist
}

/** Replaces a file atomically: another start may read it now. */
function replace(path, content) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

/** Lets modules find files of their own folder, which is not that of the bundle. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const address = JSON.stringify(pathToFileURL(path).href);
    const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', address);
    return { contents, loader: 'ts' };
  });
}

function changedAt(path) {
  return statSync(`${root}${path}`).mtimeMs;
}
