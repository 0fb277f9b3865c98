import { openHandler } from '../../shared/platform/aws/handler.ts';
import { routes } from '../api.ts';

/** Serves this family on AWS. The document describes all routes, so it needs the whole map. */
export const handler = await openHandler(routes);
