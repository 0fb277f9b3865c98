import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

// Plain JavaScript, because bin/start.mjs imports it untransformed; bundle-assets.d.mts declares its types.

const program = fileURLToPath(import.meta.url);
const folder = fileURLToPath(new URL('browser/', import.meta.url));

export function bundleAssets() {
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: ['main.ts', 'link-page.ts', 'style/style.css', 'style/reference.css'],
    outdir: 'unwritten',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2020', // supported by browsers since 2020
    charset: 'utf8', // as the page declares
    legalComments: 'none',
    logLevel: 'error',
  });
  const textOf = (end) => outputFiles.find(({ path }) => path.endsWith(end)).text;
  const style = textOf('style.css');
  const script = textOf('main.js');
  const linkPageScript = textOf('link-page.js');
  const referenceStyle = textOf('reference.css');
  return {
    assets: { style, script },
    linkPageScript,
    referenceStyle,
    define: {
      PAGE_STYLE: JSON.stringify(style),
      PAGE_SCRIPT: JSON.stringify(script),
      LINK_PAGE_SCRIPT: JSON.stringify(linkPageScript),
      REFERENCE_STYLE: JSON.stringify(referenceStyle),
    },
    inputs: [program, ...Object.keys(metafile.inputs).map((name) => `${folder}${name}`)],
  };
}
