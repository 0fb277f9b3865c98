import type { Context, Route } from '../../shared/core/resource/route.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import { as, scriptEndpointEntity } from '../../shared/store/entities.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { endpointKey, path, v1Path } from './paths.ts';
import { scriptRead } from './run.ts';

/** Routes of an endpoint's runs, however they were started. */
export const endpointTraces: readonly Route[] = traceRoutes({
  name: 'Script Endpoint',
  paths: { 'v1.1': `${path}{endpoint}/traces/`, v1: `${v1Path}{endpoint}/traces/` },
  item: 'id',
  kind: 'endpoint',
  reads: scriptRead,
  parent: parentRow,
  showsCall: true,
}).map((route) => ({ ...route, boundBy: endpointKey }));

/** Returns the list position of the endpoint in the path; it is deleted with its script. */
function parentRow({ records }: Context): number {
  const found = as(scriptEndpointEntity, records.binding);
  if (found === undefined || records.script === undefined) {
    throw parentNotFound('Script Endpoint');
  }
  return found.data.row;
}
