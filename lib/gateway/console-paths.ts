import { consoleName, filePaths } from '../../shared/console/console.ts';
import type { GatewayPath } from './gateway-paths.ts';

/**
 * The gateway's paths to the console and the page with all operations. With its last slash alone, a request may match
 * none, like those of lists.
 */
export const consolePaths: readonly GatewayPath[] = filePaths.flatMap((path) =>
  [path, `${path}/{proxy+}`].map((each) => ({ path: each, family: consoleName })),
);
