import type { FamilyJobs } from '../../shared/core/family.ts';
import { migrationJobs } from '../../shared/jobs/data-version.ts';
import { letterJob } from '../../shared/jobs/dead-letters.ts';
import { readEnvironment, readQueue } from '../../shared/platforms/aws/environment.ts';
import {
  type BackgroundHandler,
  createBackground,
} from '../../shared/platforms/aws/jobs/background.ts';
import { openMigration } from '../../shared/platforms/aws/jobs/migration.ts';
import { openWakeUps } from '../../shared/platforms/aws/jobs/wake-ups.ts';
import { openPlatform } from '../../shared/platforms/aws/platform.ts';
import { familyFunctionName } from '../../shared/platforms/aws/requests/function-names.ts';
import { followScripts } from '../../shared/platforms/aws/scripts/follow-scripts.ts';
import { openInvokeLater } from '../../shared/platforms/aws/scripts/invoke-later.ts';
import { scriptWork } from '../../shared/platforms/aws/scripts/script-deployment.ts';
import { dataFormat } from '../migrations.ts';
import { joinJobs } from './join-jobs.ts';

/**
 * Opens the function that runs consumers of the change feed and background jobs on AWS. Its bundle calls this with the
 * `jobs.ts` of each family, without the code of requests: lib/handler-bundle.ts.
 */
export function openBackground(families: readonly FamilyJobs[]): BackgroundHandler {
  const environment = readEnvironment();
  const services = openPlatform(environment);
  const { types, unorderedConsumers } = joinJobs(families);
  const consumers = [...unorderedConsumers, followScripts];
  const migrate = openMigration(services, dataFormat);
  const handler = createBackground({
    services,
    consumers,
    kinds: [
      ...types,
      ...migrationJobs(dataFormat),
      ...scriptWork(environment, services),
      letterJob(consumers),
    ],
    wakeUps: openWakeUps({ queue: readQueue(), now: () => services.clock.micros() / 1000 }),
    invokeLater: openInvokeLater(familyFunctionName(environment.scripts.prefix, 'background')),
  });
  return async (event, context) => {
    await migrate(); // rejects for newer data: then changes are delivered again
    return handler(event, context);
  };
}
