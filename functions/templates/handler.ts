import { openHandler } from '../../shared/platform/aws/handler.ts';
import { templates } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(templates.routes);
