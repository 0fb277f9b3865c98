import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

// Plain JavaScript, because bin/start.mjs imports it untransformed; bundle-client.d.mts declares its types.

const entry = `const client = require('syncano');
if (apiUrl !== undefined) client.fixed.refs.baseUrl = apiUrl; // the host of its default is gone
module.exports = client;`;

/** Files that tell one state of the bundle from another: npm's list of what is installed, and this one. */
const inputs = [
  'node_modules/.package-lock.json',
  'node_modules/syncano/package.json',
  'shared/platforms/local/scripts/commands/bundle-client.mjs',
];

export function bundleClient(root, buildSync) {
  const { outputFiles } = buildSync({
    stdin: { contents: entry, resolveDir: root },
    absWorkingDir: root,
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
    define: { 'global.GENTLY': 'false' }, // of a test library, which would replace require
    banner: { js: '(function (require, module, exports, apiUrl) {' },
    footer: { js: '})' },
  });
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(outputFiles[0].contents, { params }).toString('base64'); // each script's zip contains it
}

export async function clientFolder(root) {
  const folder = `${root}.build/packages`;
  const file = `${folder}/syncano.txt`;
  const mark = `${identify(root)}:`;
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(mark)) return folder;
  const { buildSync } = await import('esbuild'); // here: a server whose file is fresh needs no bundler
  const draft = `${file}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(draft, mark + bundleClient(root, buildSync));
  renameSync(draft, file); // atomic: another server may read it now
  return folder;
}

/** Identifies the packages and the way to bundle them. No times: layers of container images change them. */
function identify(root) {
  const hash = createHash('sha256');
  for (const path of inputs) {
    if (existsSync(root + path)) hash.update(readFileSync(root + path)); // other installers than npm write no list
  }
  return hash.digest('hex');
}
