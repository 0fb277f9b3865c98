/** The files of the recorded session. */
export const castFile = new URL('../../../docs/images/first-steps.cast', import.meta.url);
export const drawingFile = new URL('../../../docs/images/first-steps.svg', import.meta.url);

/** The commands of the session. */
export const commands = [
  "groundwork init --example --instance reading --email ada@example.com --password 'choose one'",
  'groundwork push',
  `groundwork run hello --payload '{"who": "Ada"}'`,
  'groundwork types',
  'npx tsx --env-file=.env books.ts',
];
