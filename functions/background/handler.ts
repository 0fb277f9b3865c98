import { createBackground } from '../../shared/aws/background.ts';
import { readEnvironment } from '../../shared/aws/environment.ts';
import { openPlatform } from '../../shared/aws/platform.ts';
import { unorderedConsumers, workKinds } from '../../shared/services/background.ts';

/** Does on AWS what follows from changes, and the work that waits. */
export const handler = createBackground({
  services: openPlatform(readEnvironment()),
  consumers: unorderedConsumers,
  kinds: workKinds,
});
