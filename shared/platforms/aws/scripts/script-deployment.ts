import type { JobType } from '../../../jobs/jobs.ts';
import type { DeploymentOfScriptsOptions } from '../deployment-id.ts';
import type { Environment } from '../environment.ts';
import { once } from '../once.ts';
import { queueCheckName } from '../slots/waiting-runs.ts';
import { deployScript, sweepFunctions } from './script-function.ts';

/**
 * Returns the job types of AWS only: they keep a function for each script, and start runs that wait. Few processes run
 * any, so their code, and the files that it adds to each script, are loaded for the first one.
 */
export function scriptWork(
  environment: Environment,
  services: DeploymentOfScriptsOptions['services'],
): readonly JobType[] {
  const load = once(async () => {
    const { openScriptJobs } = await import('./script-jobs.ts');
    return openScriptJobs(environment, services);
  });
  return [
    { ...deployScript, step: async (context, task) => (await load()).deploy.step(context, task) },
    { ...sweepFunctions, step: async (context, task) => (await load()).sweep.step(context, task) },
    { ...queueCheckName, step: async (context, task) => (await load()).check.step(context, task) },
  ];
}
