import { readEnvironment, readQueue } from '../../shared/platform/aws/environment.ts';
import { createBackground } from '../../shared/platform/aws/jobs/background.ts';
import { openWakeUps } from '../../shared/platform/aws/jobs/wake-ups.ts';
import { openPlatform } from '../../shared/platform/aws/platform.ts';
import { followScripts } from '../../shared/platform/aws/scripts/follow-scripts.ts';
import { scriptWork } from '../../shared/platform/aws/scripts/script-deployment.ts';
import { jobTypes, unorderedConsumers } from '../jobs.ts';

const environment = readEnvironment();
const services = openPlatform(environment);

/** Runs consumers of the change feed and background jobs on AWS. */
export const handler = createBackground({
  services,
  consumers: [...unorderedConsumers, followScripts],
  kinds: [...jobTypes, ...scriptWork(environment)],
  wakeUps: openWakeUps({ queue: readQueue(), now: () => services.clock.micros() / 1000 }),
});
