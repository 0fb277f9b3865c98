import { openHandler } from '../../shared/platform/aws/handler.ts';
import { classes } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(classes.routes);
