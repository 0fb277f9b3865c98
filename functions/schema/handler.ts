import { openHandler } from '../../shared/platform/aws/handler.ts';
import { routes } from '../api.ts';

/** Serves this family on AWS. The document describes all that there is, so the whole map is at hand. */
export const handler = await openHandler(routes);
