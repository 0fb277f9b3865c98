import { setTimeout as pause } from 'node:timers/promises';
import type { JobContext, JobType, StepResult } from '../../../jobs/jobs.ts';
import { maintain } from '../../../jobs/maintain.ts';
import { runtimeOf } from '../../../scripts/script-runtimes.ts';
import { readSource, SourceChanged } from '../../../scripts/script-sources.ts';
import { ConditionFailed } from '../../../store/store.ts';
import { createOrUpdate, deleteItem } from '../../../store/writes.ts';
import { scriptFunctionEntity } from '../../../table/entities/deployment.ts';
import { scriptEntity } from '../../../table/entities/scripts.ts';
import type { ScriptFunctionData } from '../../../table/records/functions.ts';
import { longestDelay, mostOf } from '../../../values/back-off.ts';
import { errorName } from '../../../values/caught.ts';
import {
  ControlBusy,
  type FoundFunction,
  type FunctionControl,
  type FunctionSettings,
} from './function-control.ts';
import { deployScript, newFunction } from './script-function.ts';
import { functionName, type ScriptDeployment, type ScriptId } from './script-names.ts';
import {
  type PackageOptions,
  packFunction,
  releaseOf,
  type ScriptPackage,
} from './script-package.ts';

/** Options of the deployment of scripts. */
export interface DeploymentOptions extends PackageOptions {
  readonly readDeployment: () => Promise<ScriptDeployment>;
  readonly control: FunctionControl;
  /** Tests pass their own. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

type Task = ScriptId & {
  /** Number of steps so far. */
  readonly tries?: number;
};

/** The remaining work: none, check again in a moment, or later. */
type Progress = 'done' | 'soon' | 'later';

const maxLooks = 4; // in one step
const lookMs = 700;
const backOff = { firstMs: 1000, maxMs: 300_000 };

/**
 * Creates or updates the function of a script, or deletes it with the script. Each step reads the current state and
 * takes the next action, so it can run in several processes at once and resume after any step.
 */
export function createDeployScript(options: DeploymentOptions): JobType {
  const { sleep = pause } = options;
  return {
    ...deployScript,
    step: async (context, task) => {
      const { tries = 0, ...id } = task as Task; // as stored
      for (let look = 1; ; look += 1) {
        const progress = await advance(options, context, id);
        if (progress === 'done') return 'done';
        if (progress === 'later' || look === maxLooks) return later({ ...id, tries });
        await sleep(lookMs);
      }
    },
  };
}

/** Returns the next step; pauses grow, and vary, so that throttled jobs do not retry at the same time. */
function later({ tries = 0, ...id }: Task): StepResult {
  const afterMs = Math.round(mostOf(longestDelay(tries, backOff)));
  return { task: { ...id, tries: tries + 1 }, afterMs };
}

async function advance(
  options: DeploymentOptions,
  context: JobContext,
  id: ScriptId,
): Promise<Progress> {
  try {
    return await reconcile(options, context, id);
  } catch (error) {
    if (error instanceof ControlBusy || error instanceof SourceChanged) return 'later';
    if (!(error instanceof ConditionFailed)) {
      await note(context, id, { state: 'failed', error: errorName(error) });
    }
    throw error;
  }
}

async function reconcile(
  options: DeploymentOptions,
  context: JobContext,
  id: ScriptId,
): Promise<Progress> {
  const { control, readDeployment } = options;
  const name = functionName(await readDeployment(), id);
  const [script, found] = await Promise.all([readScript(context, id), control.find(name)]);
  if (script === undefined) {
    if (found !== undefined) await control.remove(name);
    await forget(context, id);
    return 'done';
  }
  const wanted = packFunction(options, { id, ...script });
  const progress = await change(control, name, { found, wanted });
  if (found?.reason !== undefined)
    await note(context, id, { state: 'failed', error: found.reason });
  if (progress === 'done') {
    const release = releaseOf(options, script.runtime);
    await note(context, id, { version: script.version, release, state: 'ready' });
  }
  return progress;
}

interface Comparison {
  readonly found: FoundFunction | undefined;
  readonly wanted: ScriptPackage;
}

/** Takes the next action, if any, to bring a function to the desired state. */
async function change(
  control: FunctionControl,
  name: string,
  { found, wanted }: Comparison,
): Promise<Progress> {
  const { settings, code, hash } = wanted;
  if (found === undefined) {
    await control.create(name, settings, code);
    return 'later';
  }
  if (found.state === 'failed') {
    await control.remove(name); // no other action is possible
    return 'later';
  }
  if (found.state === 'changing') return 'soon';
  const hasSettings = hasAll(found, settings);
  if (found.hash !== hash || found.state === 'changeFailed') {
    await control.updateCode(name, found.revision, code);
    return hasSettings ? 'later' : 'soon'; // until they match, no run of the new version can begin
  }
  if (hasSettings) return 'done';
  await control.updateSettings(name, found.revision, settings);
  return 'later';
}

function hasAll(found: FoundFunction, settings: FunctionSettings): boolean {
  return Object.entries(settings).every(
    ([name, value]) => found[name as keyof FunctionSettings] === value,
  );
}

/** Returns the current script; undefined when it was deleted. */
async function readScript(context: JobContext, id: ScriptId) {
  const item = await scriptEntity.read(context.store, id.instance, id.script);
  const { version, runtime_name } = item?.data ?? {};
  if (version === undefined || runtime_name === undefined) return undefined;
  const source = await readSource(context, { ...id, version });
  return { version, runtime: runtimeOf(runtime_name), source };
}

/** Stores the known state of a function. */
async function note(
  context: JobContext,
  { instance, script }: ScriptId,
  news: Partial<ScriptFunctionData>,
): Promise<void> {
  const key = scriptFunctionEntity.key(instance, script);
  const known = await scriptFunctionEntity.read(context.store, instance, script);
  const { error: _, askedAt: __, ...rest } = known?.data ?? newFunction({ instance, script });
  const data = { ...rest, ...news };
  await maintain(context, [createOrUpdate(scriptFunctionEntity, { key, current: known }, data)]);
}

async function forget(context: JobContext, { instance, script }: ScriptId): Promise<void> {
  const item = await scriptFunctionEntity.read(context.store, instance, script);
  if (item !== undefined) await maintain(context, [deleteItem(item)]);
}
