import { openHandler } from '../../shared/aws/handler.ts';
import { dataEndpoints } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(dataEndpoints.routes);
