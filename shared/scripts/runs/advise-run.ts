import type { Platform } from '../../ports/ports.ts';
import { faultOf } from '../../values/caught.ts';
import { adviceOn, python2Advice } from '../rules/run-advice.ts';
import { maxOutputBytes } from '../rules/script-result.ts';
import type { ScriptOutcome, ScriptRun } from '../script-runner.ts';
import { SourceChanged } from '../script-sources.ts';

/**
 * Adds a line of advice to the standard error of a failed run (docs/guides/scripts.md#missing-modules). Other outcomes are
 * returned as they are, and so is one whose output has no room for it. The source is read only if Python rejects it.
 */
export async function adviseRun(
  services: Pick<Platform, 'log'>,
  run: Pick<ScriptRun, 'runtime' | 'source' | 'instance' | 'script'>,
  outcome: ScriptOutcome,
): Promise<ScriptOutcome> {
  if (outcome.status !== 'failure' || outcome.isServerError) return outcome;
  const advice = adviceOn(run.runtime, outcome.stderr);
  if (advice === undefined) return outcome;
  const text =
    advice.kind === 'text' ? advice.text : await adviseSource(services, run, advice.line);
  if (text === undefined) return outcome;
  const stderr = `${outcome.stderr}\n${text}`;
  const bytes = Buffer.byteLength(outcome.stdout) + Buffer.byteLength(stderr);
  return bytes > maxOutputBytes ? outcome : { ...outcome, stderr };
}

/** Reads the source for the advice. The run has ended, and its outcome stays if the source cannot be read. */
async function adviseSource(
  { log }: Pick<Platform, 'log'>,
  { source, instance, script }: Pick<ScriptRun, 'source' | 'instance' | 'script'>,
  line: number,
): Promise<string | undefined> {
  try {
    return python2Advice(await source(), line);
  } catch (error) {
    if (error instanceof SourceChanged) return undefined; // the line is of an earlier source
    const message = 'the source of a failed script could not be read';
    log({ level: 'error', message, instance, script, ...faultOf(error) });
    return undefined;
  }
}
