import { openHandler } from '../../shared/platform/aws/handler.ts';
import { account } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(account.routes);
