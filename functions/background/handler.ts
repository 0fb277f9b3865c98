import { readEnvironment } from '../../shared/platform/aws/environment.ts';
import { createBackground } from '../../shared/platform/aws/jobs/background.ts';
import { openPlatform } from '../../shared/platform/aws/platform.ts';
import { followScripts } from '../../shared/platform/aws/scripts/follow-scripts.ts';
import { runtimeFiles } from '../../shared/platform/aws/scripts/runtime-files.ts';
import { scriptWork } from '../../shared/platform/aws/scripts/script-deployment.ts';
import { jobTypes, unorderedConsumers } from '../jobs.ts';

const environment = readEnvironment();

/** Runs consumers of the change feed and background jobs on AWS. */
export const handler = createBackground({
  services: openPlatform(environment),
  consumers: [...unorderedConsumers, followScripts],
  kinds: [...jobTypes, ...scriptWork(environment, runtimeFiles)],
});
