import type { Context, Route } from '../../shared/core/resource/route.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import { as, scriptEndpointEntity } from '../../shared/store/entities.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { endpointKey, path, v1Path } from './paths.ts';
import { scriptRead } from './run.ts';

/** The runs of an endpoint, however they were called. */
export const endpointTraces: readonly Route[] = traceRoutes({
  name: 'Script Endpoint',
  paths: { 'v1.1': `${path}{endpoint}/traces/`, v1: `${v1Path}{endpoint}/traces/` },
  item: 'id',
  kind: 'endpoint',
  reads: scriptRead,
  parent: parentRow,
  showsCall: true,
}).map((route) => ({ ...route, boundBy: endpointKey }));

/** The row of the endpoint that the path names; with its script it is gone. */
function parentRow({ records }: Context): number {
  const found = as(scriptEndpointEntity, records.binding);
  if (found === undefined || records.script === undefined) {
    throw parentNotFound('Script Endpoint');
  }
  return found.data.row;
}
