import { openHandler } from '../../shared/platform/aws/handler.ts';
import { dataEndpoints } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(dataEndpoints.routes);
