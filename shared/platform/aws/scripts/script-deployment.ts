import type { JobType } from '../../../jobs/jobs.ts';
import type { Environment } from '../environment.ts';
import { createDeployScript } from './deploy-script.ts';
import { openControl } from './function-control.ts';
import type { AllRuntimeFiles } from './script-package.ts';
import { createSweepFunctions } from './sweep-functions.ts';

/** Returns the job types of AWS only: they keep a function for each script. */
export function scriptWork(
  { scripts: { prefix, role }, table }: Environment,
  files: AllRuntimeFiles,
): readonly JobType[] {
  const options = { place: { prefix, table }, role, files, control: openControl() };
  return [createDeployScript(options), createSweepFunctions(options)];
}
