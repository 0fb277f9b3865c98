import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { packFile } from '../shared/console/pack-file.mjs';
import { define, program as passwords } from '../shared/values/passwords/common-passwords.mjs';

// Plain JavaScript, because bin/start.mjs imports it untransformed; bundle.d.mts declares its types.

const program = fileURLToPath(import.meta.url);
const packing = fileURLToPath(new URL('../shared/console/pack-file.mjs', import.meta.url));
const folder = fileURLToPath(new URL('.', import.meta.url));
const page = `${folder}index.html`;
const packages = fileURLToPath(new URL('../package-lock.json', import.meta.url)); // changes with the files of packages

const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export function bundleConsole({ brotliQuality }) {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: ['app/main.tsx', 'style/main.css'],
    outdir: 'unwritten',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.svg': 'file' },
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022', // supported by browsers since 2022
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define,
    charset: 'utf8', // as the types declare
    legalComments: 'none',
    logLevel: 'error',
  });
  const pack = (content, isFixed) => packFile(content, { isFixed, brotliQuality });
  const files = {
    'index.html': { type: types['.html'], ...pack(Buffer.from(makePage(metafile)), false) },
  };
  for (const { path, contents } of outputFiles) {
    const name = basename(path);
    files[name] = { type: types[/\.\w+$/.exec(name)[0]], ...pack(contents, true) };
  }
  const own = Object.keys(metafile.inputs).filter((name) => !name.includes('node_modules/'));
  const inputs = [
    program,
    packing,
    passwords,
    page,
    packages,
    ...own.map((name) => `${folder}${name}`),
  ];
  return { files, inputs };
}

/** Returns the page with the names of the entries, and of the modules that the script needs at once. */
function makePage({ outputs }) {
  const entries = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const nameOf = (source) => entries.find(([, { entryPoint }]) => entryPoint === source)[0];
  const fileOf = (source) =>
    Object.entries(outputs).find(
      ([path, { inputs }]) => !path.endsWith('.js') && source in inputs,
    )[0];
  const script = nameOf('app/main.tsx');
  const links = [...importedAtOnce(outputs, script)].map(
    (path) => `<link rel="modulepreload" href="${basename(path)}">\n`,
  );
  return readFileSync(page, 'utf8')
    .replace('"mark.svg"', `"${basename(fileOf('style/mark.svg'))}"`)
    .replace('"main.css"', `"${basename(nameOf('style/main.css'))}"`)
    .replace(/(?=<script type="module")/, links.join(''))
    .replace('"main.js"', `"${basename(script)}"`);
}

function importedAtOnce(outputs, path, found = new Set()) {
  for (const { kind, path: imported } of outputs[path].imports) {
    if (kind !== 'import-statement' || found.has(imported)) continue;
    found.add(imported);
    importedAtOnce(outputs, imported, found);
  }
  return found;
}
