import { createBackground } from '../../shared/aws/background.ts';
import { readEnvironment } from '../../shared/aws/environment.ts';
import { followScripts } from '../../shared/aws/follow-scripts.ts';
import { openPlatform } from '../../shared/aws/platform.ts';
import { runtimeFiles } from '../../shared/aws/runtime-files.ts';
import { scriptWork } from '../../shared/aws/script-deployment.ts';
import { unorderedConsumers, workKinds } from '../../shared/jobs/background.ts';

const environment = readEnvironment();

/** Does on AWS what follows from changes, and the work that waits. */
export const handler = createBackground({
  services: openPlatform(environment),
  consumers: [...unorderedConsumers, followScripts],
  kinds: [...workKinds, ...scriptWork(environment, runtimeFiles)],
});
