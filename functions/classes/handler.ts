import { openHandler } from '../../shared/aws/handler.ts';
import { classes } from './resource.ts';

/** Serves this family on AWS. */
export const handler = await openHandler(classes.routes);
