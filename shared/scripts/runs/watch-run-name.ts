/** Name of the job type that starts and guards runs; not in the type's file, which imports the modules that plan it. */
export const watchRunName = { name: 'watch-run' };
