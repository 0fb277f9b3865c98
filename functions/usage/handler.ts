import { openHandler } from '../../shared/platform/aws/handler.ts';
import { usage } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(usage.routes);
