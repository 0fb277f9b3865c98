import { openHandler } from '../../shared/platform/aws/handler.ts';
import { objects } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(objects.routes);
