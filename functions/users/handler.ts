import { openHandler } from '../../shared/platform/aws/handler.ts';
import { users } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(users.routes);
