import type { JobType } from '../../../jobs/jobs.ts';
import type { Environment } from '../environment.ts';
import { createDeployScript } from './deploy-script.ts';
import { openControl } from './function-control.ts';
import { runtimeFiles } from './runtime-files.ts';
import { createSweepFunctions } from './sweep-functions.ts';

/** Opens the job types that create, update, compare and delete functions of scripts. Only in a bundle. */
export function openScriptJobs({ scripts, scriptMegabytes, table }: Environment): {
  readonly deploy: JobType;
  readonly sweep: JobType;
} {
  const options = {
    place: { prefix: scripts.prefix, table },
    role: scripts.role,
    memoryMegabytes: scriptMegabytes,
    files: runtimeFiles,
    control: openControl(),
  };
  return { deploy: createDeployScript(options), sweep: createSweepFunctions(options) };
}
