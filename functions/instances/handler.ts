import { openHandler } from '../../shared/platform/aws/handler.ts';
import { instances } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(instances.routes);
