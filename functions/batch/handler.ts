import { openHandler } from '../../shared/platform/aws/handler.ts';
import { routes } from '../api.ts';

/** Serves on AWS all paths that no other function serves, with the whole map, which a batch needs as well. */
export const handler = await openHandler(routes);
