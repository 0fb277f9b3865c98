import { openHandler } from '../../shared/aws/handler.ts';
import { scriptEndpoints } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(scriptEndpoints.routes);
