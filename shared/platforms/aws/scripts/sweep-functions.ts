import type { JobContext, JobType, StepResult } from '../../../jobs/jobs.ts';
import { maintain } from '../../../jobs/maintain.ts';
import { runtimeOf } from '../../../scripts/script-runtimes.ts';
import { scriptFunctionEntity } from '../../../table/entities/deployment.ts';
import { scriptEntity } from '../../../table/entities/scripts.ts';
import type { ScriptFunctionData } from '../../../table/records/functions.ts';
import { errorName } from '../../../values/caught.ts';
import type { JsonObject } from '../../../values/json/json.ts';
import type { DeploymentOptions } from './deploy-script.ts';
import { ControlBusy, type ListedFunction } from './function-control.ts';
import { deploymentOf, sweepFunctions } from './script-function.ts';
import {
  functionName,
  isFunctionName,
  readDescription,
  type ScriptDeployment,
  type ScriptId,
} from './script-names.ts';
import { releaseOf } from './script-package.ts';

type Progress = {
  /** Position in the list of functions; absent at its start. */
  readonly marker?: string;
  /** Sort key of the last known function that was checked; absent while functions are listed. */
  readonly last?: string;
};

const dayMs = 86_400_000;
const busyMs = 5000;
const stepSize = 20;

/**
 * Compares functions with scripts, once a day without end: first each existing function, whose script may be deleted,
 * then each known one, which may be deleted, have failed, or be of an earlier release. Mismatches get a job.
 */
export function createSweepFunctions(options: DeploymentOptions): JobType {
  return {
    ...sweepFunctions,
    step: async (context, task) => {
      const progress = task as Progress; // as stored
      try {
        return progress.last === undefined
          ? await sweepListed(options, context, progress)
          : await sweepKnown(options, context, progress.last);
      } catch (error) {
        if (error instanceof ControlBusy) return { task, afterMs: busyMs };
        if (errorName(error) !== 'InvalidParameterValueException') throw error;
        return { task: { last: '' } }; // the marker is too old: tomorrow from the start
      }
    },
  };
}

async function sweepListed(
  options: DeploymentOptions,
  context: JobContext,
  { marker }: Progress,
): Promise<StepResult> {
  const { functions, next } = await options.control.list(marker);
  const deployment = await options.readDeployment();
  const ours = functions.filter(({ name }) => isFunctionName(deployment, name));
  const lost: ScriptId[] = [];
  for (const { name, id } of ours.map((each) => ({ ...each, id: ownerOf(deployment, each) }))) {
    if (id === undefined)
      await options.control.remove(name); // of a deployment that no longer exists
    else lost.push(id);
  }
  await deployAll(context, await withoutScript(context, lost));
  return { task: next === undefined ? { last: '' } : ({ marker: next } as JsonObject) };
}

/** Returns the script of a function; undefined when it is not one of this deployment's scripts. */
function ownerOf(deployment: ScriptDeployment, { name, description }: ListedFunction) {
  const id = readDescription(description);
  return id !== undefined && functionName(deployment, id) === name ? id : undefined;
}

async function withoutScript({ store }: JobContext, ids: readonly ScriptId[]) {
  const items = await scriptEntity.readAll(
    store,
    ids.map(({ instance, script }) => [instance, script]),
  );
  return ids.filter((_, at) => items[at] === undefined);
}

async function sweepKnown(
  options: DeploymentOptions,
  context: JobContext,
  last: string,
): Promise<StepResult> {
  const some = { after: last || undefined, limit: stepSize };
  const { items, last: reached } = await scriptFunctionEntity.list(context.store, [], some);
  const bad: ScriptId[] = [];
  for (const { data } of items) {
    if (!(await isRight(options, context, data))) bad.push(data);
  }
  await deployAll(context, bad);
  return reached !== undefined ? { task: { last: reached } } : { task: {}, afterMs: dayMs };
}

async function isRight(
  options: DeploymentOptions,
  { store }: JobContext,
  known: ScriptFunctionData,
): Promise<boolean> {
  const item = await scriptEntity.read(store, known.instance, known.script);
  const script = item?.data;
  if (script === undefined || known.state !== 'ready' || known.version !== script.version)
    return false;
  if (known.release !== releaseOf(options, runtimeOf(script.runtime_name))) return false;
  const found = await options.control.find(functionName(await options.readDeployment(), known));
  return found?.state === 'usable';
}

async function deployAll(context: JobContext, ids: readonly ScriptId[]): Promise<void> {
  if (ids.length === 0) return;
  await maintain(
    context,
    ids.map((id) => deploymentOf(context, id)),
  );
}
