import type { Platform } from '../platform/ports.ts';
import { causeOf } from '../values/caught.ts';
import type { FinishedTrace } from './run-request.ts';

/** Logs that a run has failed whose caller does not wait. */
export function logLateFault({ log }: Pick<Platform, 'log'>, error: unknown): void {
  const cause = causeOf(error);
  log({ level: 'error', message: 'a background run failed', cause });
}

/**
 * Waits for a run `ms` at the most.
 *
 * @returns undefined when it goes on; what goes wrong with it then is logged
 */
export async function awaitRun(
  services: Pick<Platform, 'log'>,
  run: Promise<FinishedTrace>,
  ms: number,
): Promise<FinishedTrace | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  const finished = await Promise.race([run, patience]).finally(() => clearTimeout(timer));
  if (finished === undefined) run.catch((error: unknown) => logLateFault(services, error));
  return finished;
}
