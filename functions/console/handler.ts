import { openConsole } from '../../shared/platform/aws/requests/console.ts';

/** Serves the files of the console, which its bundle contains. Serves no other paths. */
export const handler = await openConsole();
