/*
 * Bundles the programs of this folder. Modules are bundled when one of them has changed since the last start: a start
 * then takes about 0.15 s, whereas transforming each module at import takes 0.5 s and more, growing with their number.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Ends the process with a message when this machine cannot run the programs. */
export function checkMachine() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Node 20, 22, 24 or 26 is needed, and this is ${process.version}`);
  if (!existsSync(`${root}node_modules/lmdb`)) fail('run npm ci first: packages are missing');
}

/** Prints the version of the programs, and ends the process. */
export function endWithVersion() {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  process.stdout.write(`${version}\n`);
  process.exit(0);
}

function fail(reason) {
  process.stderr.write(`groundwork: ${reason}\n`);
  process.exit(1);
}

/** Imports the bundle of `<name>.ts`, which is made first if it is not fresh. */
export async function importBundle(name) {
  const bundle = await freshBundle(name);
  process.setSourceMapsEnabled(true);
  return import(pathToFileURL(bundle).href);
}

/** Bundles everything that the server and the command run. */
export async function bundleAll() {
  await bundlePackages();
  await openConsole();
  for (const name of ['serve', 'groundwork']) await freshBundle(name);
  const { bundleChild, childPrograms } = await import(
    '../shared/platforms/local/scripts/commands/bundle-child.mjs'
  );
  for (const name of childPrograms) await bundleChild(root, name);
}

async function freshBundle(name) {
  const bundle = `${root}.build/${name}.mjs`;
  const record = `${root}.build/${name}.json`;
  if (!isFresh(bundle, record)) await build(name, { bundle, record });
  return bundle;
}

/** Bundles the console if its bundle is not fresh. Returns the function that reads its files. */
export async function openConsole() {
  const bundle = `${root}.build/console.files.json`;
  const record = `${root}.build/console.json`;
  if (!isFresh(bundle, record)) {
    const { bundleConsole } = await import('../console/bundle.mjs');
    const { files, inputs } = bundleConsole({ brotliQuality: 5 }); // in milliseconds
    save({ bundle, record }, JSON.stringify(files), inputs);
  }
  return () => JSON.parse(readFileSync(bundle, 'utf8'));
}

/** Bundles the package that scripts may require if its bundle is not fresh. */
export async function bundlePackages() {
  const { clientFolder } = await import(
    '../shared/platforms/local/scripts/commands/bundle-client.mjs'
  );
  await clientFolder(root);
}

function isFresh(bundle, record) {
  try {
    const inputs = JSON.parse(readFileSync(record, 'utf8'));
    return statSync(bundle).size > 0 && inputs.every(([path, at]) => changedAt(path) === at);
  } catch {
    return false; // missing or damaged files are built again
  }
}

async function build(name, files) {
  const esbuild = await import('esbuild');
  const { bundleAssets } = await import('../shared/core/pages/bundle-assets.mjs');
  const passwords = await import('../shared/values/passwords/common-passwords.mjs');
  const page = bundleAssets();
  const { metafile, outputFiles } = await esbuild.build({
    entryPoints: [`${root}bin/${name}.ts`],
    absWorkingDir: root,
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'inline',
    metafile: true,
    define: { ...page.define, ...passwords.define },
    logLevel: 'error',
    plugins: [{ name: 'own addresses', setup: keepAddresses }],
  });
  await esbuild.stop(); // otherwise its process keeps 80 MB as long as the program runs
  const own = Object.keys(metafile.inputs).map((path) => `${root}${path}`);
  save(files, outputFiles[0].contents, [...own, ...page.inputs, passwords.program]);
}

/** Writes a bundle, and the record of its inputs: the path of each, and when it was changed last. */
function save({ bundle, record }, content, sources) {
  const paths = sources.map((path) => relative(root, path));
  mkdirSync(`${root}.build`, { recursive: true });
  replace(bundle, content);
  replace(record, JSON.stringify(paths.map((path) => [path, changedAt(path)]))); // last: the files that it lists exist
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
