import { openHandler } from '../../shared/platform/aws/handler.ts';
import { routes } from '../api.ts';

/** Serves on AWS what no other family's function does: the whole map, which a batch needs as well. */
export const handler = await openHandler(routes);
