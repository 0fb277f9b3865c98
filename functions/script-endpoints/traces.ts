import type { Route } from '../../shared/core/family.ts';
import { traceRoutes } from '../../shared/scripts/trace-routes.ts';
import { parentNotFound } from '../../shared/values/errors/errors.ts';
import { endpointLoads, type ScriptEndpointContext } from './loads.ts';
import { scriptEndpointsPath, scriptEndpointsV1Path } from './paths.ts';

/** Routes of an endpoint's runs, however they were started. */
export const endpointTraces: readonly Route[] = traceRoutes({
  name: 'Script Endpoint',
  noun: 'a script endpoint',
  paths: {
    'v1.1': `${scriptEndpointsPath}{endpoint}/traces/`,
    v1: `${scriptEndpointsV1Path}{endpoint}/traces/`,
  },
  item: 'id',
  kind: 'endpoint',
  loads: endpointLoads,
  parent: parentPosition,
  showsCall: true,
});

/** Returns the list position of the endpoint in the path; it is deleted with its script. */
function parentPosition({ loaded: { endpoint, script } }: ScriptEndpointContext): number {
  if (endpoint === undefined || script === undefined) throw parentNotFound('Script Endpoint');
  return endpoint.data.row;
}
