/** Name of the job type that starts and guards runs, for modules that plan it: the type itself uses them. */
export const watchRunName = { name: 'watch-run' };
