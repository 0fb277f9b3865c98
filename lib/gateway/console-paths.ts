import { consoleName, consolePath } from '../../shared/console/console.ts';
import type { GatewayPath } from './gateway-paths.ts';

/** The gateway's paths to the console. With its last slash alone, a request may match none, like those of lists. */
export const consolePaths: readonly GatewayPath[] = [consolePath, `${consolePath}/{proxy+}`].map(
  (path) => ({ path, family: consoleName }),
);
