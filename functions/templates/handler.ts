import { openHandler } from '../../shared/aws/handler.ts';
import { templates } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(templates.routes);
