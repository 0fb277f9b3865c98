/** Name of the job type that starts and guards runs, in a file of its own, because the type imports the modules that plan it. */
export const watchRunName = { name: 'watch-run' };
