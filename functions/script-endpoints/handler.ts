import { openHandler } from '../../shared/platform/aws/handler.ts';
import { scriptEndpoints } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(scriptEndpoints.routes);
