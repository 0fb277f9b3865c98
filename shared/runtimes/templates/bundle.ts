/** Name of the file that holds the bundled program, in the folder where it is made. */
export const programFile = 'template-program.cjs';

/** How the program is bundled into one file, by esbuild. */
export const programBundle = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'error',
} as const;
