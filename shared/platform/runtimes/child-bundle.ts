/** Name of the file that holds the bundled program for templates, in the folder where it is made. */
export const templateProgramFile = 'template-program.cjs';

/** How a program of a child process is bundled into one file, by esbuild. */
export const programBundle = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'error',
} as const;
