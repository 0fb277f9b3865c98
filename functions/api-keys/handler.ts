import { openHandler } from '../../shared/platform/aws/handler.ts';
import { apiKeys } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(apiKeys.routes);
