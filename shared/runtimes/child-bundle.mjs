// Plain JavaScript, because bin/start.mjs imports it untransformed; child-bundle.d.mts declares its types.

export const templateProgramFile = 'template-program.cjs';

export const programBundle = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'none',
  logLevel: 'error',
};
