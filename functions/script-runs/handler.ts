import { openProcess } from '../../shared/platform/aws/handler.ts';
import { createRuns } from '../../shared/platform/aws/scripts/runs.ts';
import { lambdaSdk } from '../../shared/platform/aws/sdk/lambda-client.ts';

const [platform] = await Promise.all([openProcess(), lambdaSdk()]);

/** Runs scripts on AWS without a waiting client. Serves no paths. */
export const handler = createRuns(platform);
