import type { Route } from '../../shared/core/family.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { type EndpointContext, endpointLoads } from './loads.ts';
import { path, v1Path } from './paths.ts';

/** Routes of an endpoint's runs, however they were started. */
export const endpointTraces: readonly Route[] = traceRoutes({
  name: 'Script Endpoint',
  noun: 'a script endpoint',
  paths: { 'v1.1': `${path}{endpoint}/traces/`, v1: `${v1Path}{endpoint}/traces/` },
  item: 'id',
  kind: 'endpoint',
  loads: endpointLoads,
  parent: parentRow,
  showsCall: true,
});

/** Returns the list position of the endpoint in the path; it is deleted with its script. */
function parentRow({ loaded: { endpoint, script } }: EndpointContext): number {
  if (endpoint === undefined || script === undefined) throw parentNotFound('Script Endpoint');
  return endpoint.data.row;
}
