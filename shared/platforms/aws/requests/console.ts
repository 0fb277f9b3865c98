import { createConsole } from '../../../console/console.ts';
import { consoleSteps } from '../../../console/console-steps.ts';
import { openClock } from '../../../ports/clock.ts';
import { openIds } from '../../../ports/ids.ts';
import { readConsoleEnvironment } from '../environment.ts';
import { type Handler, toHandler } from '../gateway.ts';
import { openLog } from '../log/log.ts';

/** The files of the console as JSON. Defined at bundling time, by lib/handler-bundle.ts. */
declare const CONSOLE_FILES: string;

/** The page with all operations as JSON, likewise. */
declare const REFERENCE_FILES: string;

/**
 * Opens the function that serves the console, with the environment of its process. Only behind a front door it needs a
 * client of AWS, which is loaded then.
 *
 * @throws Error that names the missing variable
 */
export async function openConsole(): Promise<Handler> {
  const { logLevel: level, metrics, proxySecret, origins } = readConsoleEnvironment();
  const door = proxySecret === undefined ? undefined : await import('./front-door.ts');
  const ports = { clock: openClock(), log: openLog({ level, metrics, tableRequests: () => 0 }) };
  const dispatch = createConsole({
    console: () => JSON.parse(CONSOLE_FILES),
    reference: () => JSON.parse(REFERENCE_FILES),
  });
  const parts = { ...ports, dispatch, ids: openIds(), frontDoor: door?.openFrontDoor(proxySecret) };
  return toHandler(
    parts,
    consoleSteps(ports, () => origins),
  );
}
