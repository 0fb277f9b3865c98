import type { JobType } from '../../../jobs/jobs.ts';
import type { Environment } from '../environment.ts';
import { createDeployScript } from './deploy-script.ts';
import { openControl } from './function-control.ts';
import { runtimeFiles } from './runtime-files.ts';
import { openScriptPlace, type ScriptPlaceOptions } from './script-place.ts';
import { createSweepFunctions } from './sweep-functions.ts';

/** Opens the job types that create, update, compare and delete functions of scripts. Only in a bundle. */
export function openScriptJobs(
  { scripts: { prefix, role }, table }: Environment,
  services: ScriptPlaceOptions['services'],
): {
  readonly deploy: JobType;
  readonly sweep: JobType;
} {
  const place = openScriptPlace({ prefix, table, services });
  const options = { place, role, files: runtimeFiles, control: openControl() };
  return { deploy: createDeployScript(options), sweep: createSweepFunctions(options) };
}
