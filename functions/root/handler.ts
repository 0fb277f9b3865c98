import { openHandler } from '../../shared/platform/aws/handler.ts';
import { root } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(root.routes);
