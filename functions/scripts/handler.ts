import { openHandler } from '../../shared/aws/handler.ts';
import { scripts } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(scripts.routes);
