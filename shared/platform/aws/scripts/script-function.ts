import { newJob } from '../../../jobs/jobs.ts';
import { cascade } from '../../../jobs/maintain.ts';
import { unlessConflict } from '../../../jobs/write-conflict.ts';
import { as, scriptFunctionEntity } from '../../../store/entities.ts';
import type { ScriptFunctionData } from '../../../store/records/functions.ts';
import type { Put, Store } from '../../../store/store.ts';
import { insert, replace } from '../../../store/writes.ts';
import type { Clock, Ids } from '../../ports.ts';
import type { ScriptId } from './script-names.ts';

/** What asking for a function takes. */
export interface FunctionAsker {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The kind of work that makes a script's function what it should be. */
export const deployScript = { name: 'deploy-script' };

const askAgainMs = 30_000;

/** Work that makes a script's function what it should be; it may be there several times. */
export function deploymentOf(by: Pick<FunctionAsker, 'clock' | 'ids'>, id: ScriptId): Put {
  const { instance, script } = id;
  return newJob(by, deployScript, { instance, script });
}

/** What is known of a script's function. */
export async function readFunction(
  { store }: Pick<FunctionAsker, 'store'>,
  { instance, script }: ScriptId,
): Promise<ScriptFunctionData | undefined> {
  const item = await scriptFunctionEntity.read(store, instance, script);
  return item?.data;
}

/** Has a script's function looked after, unless somebody has asked for it in the last half minute. */
export async function askForFunction(by: FunctionAsker, id: ScriptId): Promise<void> {
  const { instance, script } = id;
  const key = scriptFunctionEntity.key(instance, script);
  const [item] = await by.store.get([key]);
  const known = as(scriptFunctionEntity, item);
  const askedAt = Math.floor(by.clock.micros() / 1000);
  if (known?.data.askedAt !== undefined && askedAt - known.data.askedAt < askAgainMs) return;
  const asked =
    known === undefined
      ? insert(scriptFunctionEntity, key, { ...newFunction(id), askedAt })
      : replace(known, { ...known.data, askedAt });
  await unlessConflict(cascade(by, [asked, deploymentOf(by, id)])); // or another process has asked, or works on it
}

/** What is known of a function before there is one. */
export function newFunction({ instance, script }: ScriptId): ScriptFunctionData {
  return { instance, script, version: 0, release: '', state: 'waiting' };
}
