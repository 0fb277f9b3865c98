import { openConsole } from '../../shared/platforms/aws/requests/console.ts';

/** Serves the files of the console, which its bundle contains. Serves no other paths. */
export const handler = await openConsole();
