import { openProcess } from '../../shared/aws/handler.ts';
import { createRuns } from '../../shared/aws/runs.ts';

/** Runs scripts on AWS for which nobody waits, or which take longer than a call may. It serves no paths. */
export const handler = createRuns(await openProcess());
