/** Name of the file with the bundled program for templates, in the folder where it is built. */
export const templateProgramFile = 'template-program.cjs';

/** Options of esbuild for bundling a child process's program into one file. */
export const programBundle: {
  readonly bundle: true;
  readonly minify: true;
  readonly platform: 'node';
  readonly target: 'node20';
  readonly format: 'cjs';
  readonly legalComments: 'none';
  readonly logLevel: 'error';
};
