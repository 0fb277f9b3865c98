import { openProcess } from '../../shared/platforms/aws/handler.ts';
import { createRuns } from '../../shared/platforms/aws/scripts/runs.ts';
import { lambdaSdk } from '../../shared/platforms/aws/sdk/lambda-client.ts';

const [platform] = await Promise.all([openProcess(), lambdaSdk()]);

/** Runs scripts on AWS without a waiting client. Serves no paths. */
export const handler = createRuns(platform);
