import type { JobType } from '../../../jobs/jobs.ts';
import { type DeploymentOfScriptsOptions, openScriptDeployment } from '../deployment-id.ts';
import type { Environment } from '../environment.ts';
import { createWaitingRunsCheck } from '../slots/waiting-runs.ts';
import { createDeployScript } from './deploy-script.ts';
import { openFunctionControl } from './function-control.ts';
import { openStartRun } from './invoke-later.ts';
import { runtimeFiles } from './runtime-files.ts';
import { createSweepFunctions } from './sweep-functions.ts';

/** Opens the job types of scripts on AWS. Only in a bundle, which has the files of functions. */
export function openScriptJobs(
  { scripts, scriptMegabytes, table }: Environment,
  services: DeploymentOfScriptsOptions['services'],
): {
  readonly deploy: JobType;
  readonly sweep: JobType;
  readonly check: JobType;
} {
  const { prefix, role } = scripts;
  const options = {
    readDeployment: openScriptDeployment({ prefix, table, services }),
    role,
    memoryMegabytes: scriptMegabytes,
    files: runtimeFiles,
    control: openFunctionControl(),
  };
  return {
    deploy: createDeployScript(options),
    sweep: createSweepFunctions(options),
    check: createWaitingRunsCheck(openStartRun(prefix)),
  };
}
