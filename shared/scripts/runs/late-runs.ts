import type { Platform } from '../../ports/ports.ts';
import type { FinishedTrace } from '../../ports/run-request.ts';
import { faultOf } from '../../values/caught.ts';

/** Logs the failure of a run that no request waits for. */
export function logLateFault({ log }: Pick<Platform, 'log'>, error: unknown): void {
  log({ level: 'error', message: 'a background run failed', ...faultOf(error) });
}

/**
 * Waits for a run, for at most `ms`.
 *
 * @returns undefined when the run continues; its later failure is logged
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
