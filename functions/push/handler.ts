import { openHandler } from '../../shared/platform/aws/handler.ts';
import { push } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(push.routes);
