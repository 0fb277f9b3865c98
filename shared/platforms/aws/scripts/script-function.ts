import { newJob } from '../../../jobs/jobs.ts';
import { cascade } from '../../../jobs/maintain.ts';
import { unlessConflict } from '../../../jobs/write-conflict.ts';
import type { Clock, Ids } from '../../../ports/ports.ts';
import type { Put, Store } from '../../../store/store.ts';
import { createOrUpdate } from '../../../store/writes.ts';
import { scriptFunctionEntity } from '../../../table/entities/deployment.ts';
import type { ScriptFunctionData } from '../../../table/records/functions.ts';
import type { ScriptId } from './script-names.ts';

/** Services for requesting a function. */
export interface FunctionAsker {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The job type that creates and updates a script's function. */
export const deployScript = { name: 'deploy-script' };

/** The name of the job type that compares functions with scripts. */
export const sweepFunctions = { name: 'sweep-functions' };

const askAgainMs = 30_000;

/** Returns a job that creates and updates a script's function; several may exist. */
export function deploymentOf(by: Pick<FunctionAsker, 'clock' | 'ids'>, id: ScriptId): Put {
  const { instance, script } = id;
  return newJob(by, deployScript, { instance, script });
}

/** Returns the known state of a script's function. */
export async function readFunction(
  { store }: Pick<FunctionAsker, 'store'>,
  { instance, script }: ScriptId,
): Promise<ScriptFunctionData | undefined> {
  const item = await scriptFunctionEntity.read(store, instance, script);
  return item?.data;
}

/** Requests an update of a script's function, at most once in half a minute. */
export async function askForFunction(by: FunctionAsker, id: ScriptId): Promise<void> {
  const { instance, script } = id;
  const key = scriptFunctionEntity.key(instance, script);
  const known = await scriptFunctionEntity.read(by.store, instance, script);
  const askedAt = Math.floor(by.clock.micros() / 1000);
  if (known?.data.askedAt !== undefined && askedAt - known.data.askedAt < askAgainMs) return;
  const data = { ...(known?.data ?? newFunction(id)), askedAt };
  const asked = createOrUpdate(scriptFunctionEntity, { key, current: known }, data);
  await unlessConflict(cascade(by, [asked, deploymentOf(by, id)])); // another process has asked, or works on it
}

/** Returns the state of a function that does not exist yet. */
export function newFunction({ instance, script }: ScriptId): ScriptFunctionData {
  return { instance, script, version: 0, release: '', state: 'waiting' };
}
