import type { Platform } from '../../ports/ports.ts';
import type { RunReference } from '../../ports/run-request.ts';
import type { Put } from '../../store/store.ts';
import { instanceCounter } from '../../table/counters.ts';
import { scriptEntity } from '../../table/entities/scripts.ts';
import type { TraceData } from '../../table/records/scripts.ts';
import { longestDelay } from '../../values/back-off.ts';
import { planRun } from '../pending-runs.ts';
import { runSettings } from '../rules/script-config.ts';
import { copyPart } from '../traces.ts';

const backOff = { firstMs: 1000, maxMs: 16_000 };

/**
 * Plans another attempt of a run that failed or timed out, if its script asks for it
 * (docs/reference/triggers.md#retries). It has a trace of its own, and waits for no other run.
 *
 * @returns writes for the transaction that ends the run
 */
export async function planNextAttempt(
  services: Pick<Platform, 'store' | 'clock' | 'ids' | 'files'>,
  { instance, kind, parent }: RunReference,
  { status, run, args, depth, lacksArguments }: TraceData,
): Promise<readonly Put[]> {
  if (run?.attempt === undefined || lacksArguments === true) return [];
  if (status !== 'failure' && status !== 'timeout') return [];
  const script = await scriptEntity.read(services.store, instance, run.script);
  if (script === undefined || run.attempt > runSettings({}, script.data.config).retries) return [];
  const reference = {
    instance,
    kind,
    parent,
    trace: await services.store.next(instanceCounter(instance, `trace-${kind}`)),
  };
  const due = services.clock.micros() / 1000 + longestDelay(run.attempt - 1, backOff);
  const next = { script: run.script, meta: run.meta, attempt: run.attempt + 1 };
  const copy = await copyPart(services, instance, args);
  return planRun(services, reference, { args: copy, depth, run: next }, due).writes;
}
