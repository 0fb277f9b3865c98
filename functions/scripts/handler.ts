import { openHandler } from '../../shared/platform/aws/handler.ts';
import { scripts } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(scripts.routes);
