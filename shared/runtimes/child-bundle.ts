/** Name of the file with the bundled program for templates, in the folder where it is built. */
export const templateProgramFile = 'template-program.cjs';

/** Options of esbuild for bundling a child process's program into one file. */
export const programBundle = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'error',
} as const;
