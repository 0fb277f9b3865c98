import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/*
 * In plain JavaScript, since bin/start.mjs runs it before anything is transformed. See the declarations beside it.
 */

const program = fileURLToPath(import.meta.url);
const folder = fileURLToPath(new URL('browser/', import.meta.url));

export function bundleAssets() {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: ['style.css'],
    outdir: 'unwritten',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    charset: 'utf8', // as the page says
    legalComments: 'none',
    logLevel: 'error',
  });
  const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text;
  const style = textOf('.css');
  return {
    assets: { style },
    define: { PAGE_STYLE: JSON.stringify(style) },
    inputs: [program, ...Object.keys(metafile.inputs).map((name) => `${folder}${name}`)],
  };
}
