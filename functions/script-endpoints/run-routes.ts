import {
  allRights,
  type Context,
  computed,
  endpointRoute,
  type Fields,
  type LoadedOf,
  notFound,
  type Route,
} from '../../shared/core/family.ts';
import { type Endpoint, open } from '../../shared/core/resource/endpoint.ts';
import type { Operation, OperationNames, Operations } from '../../shared/core/routing/route.ts';
import { maxPayloadBytes } from '../../shared/ports/run-request.ts';
import type { ScriptEndpointData } from '../../shared/table/records/scripts.ts';
import { isCurrent } from '../../shared/values/keys/credentials.ts';
import { type LinkContext, linkLoads, runLoads } from './loads.ts';
import { scriptEndpointsPath, scriptEndpointsV1Path } from './paths.ts';
import { runEndpoint, runOperation } from './run.ts';

const resultFields: Fields = {
  id: computed('integer'),
  status: computed('string'),
  executed_at: computed('datetime'),
  duration: computed('integer', { nullable: true }),
  result: computed('nested object', {
    children: { stdout: computed('string'), stderr: computed('string') },
    isOpen: true,
  }),
};
const shared = {
  response: { fields: resultFields, name: 'Script Run Result', isAnyType: true, isOptional: true },
  maxBodyBytes: maxPayloadBytes,
} as const satisfies Partial<Endpoint>;

/** Runs by name, for administrators. Those with read access may run by GET (docs/reference/scripts.md#permissions). */
const ownRoute: Route = endpointRoute({
  ...shared,
  name: 'Script Endpoint Run',
  operationNames: bothNames('runScriptEndpoint', 'Run a script endpoint'),
  path: `${scriptEndpointsPath}{endpoint}/run/`,
  v1Path: `${scriptEndpointsV1Path}{endpoint}/run/`,
  access: { owner: allRights, full: allRights, write: allRights, read: 'G' },
  loads: runLoads,
  operations: bothMethods({
    ...runOperation,
    run: (context: Context<LoadedOf<typeof runLoads>>) => {
      const { endpoint } = context.loaded;
      if (endpoint === undefined) throw notFound();
      return runEndpoint(context, endpoint.data);
    },
  }),
});

interface PublicPath {
  readonly name: string;
  readonly operationNames: OperationNames;
  readonly path: string;
  /** Null where version 1 does not have it. */
  readonly v1Path: string | null;
}

/** Returns a route that runs by public link, for every holder of it; credentials are ignored. */
function publicRoute({
  name,
  operationNames,
  path: publicPath,
  v1Path: publicV1Path,
}: PublicPath): Route {
  return endpointRoute({
    ...shared,
    name,
    operationNames,
    path: publicPath,
    v1Path: publicV1Path,
    access: open,
    ignoresCredentials: true,
    loads: linkLoads,
    operations: bothMethods({
      ...runOperation,
      authorize: (context: LinkContext) => {
        openEndpoint(context);
      },
      run: (context: LinkContext) => runEndpoint(context, openEndpoint(context)),
    }),
  });
}

function bothNames(id: string, summary: string): OperationNames {
  return {
    POST: { id, summary },
    GET: { id: `${id}WithGet`, summary: `${summary}, using GET` },
  };
}

function bothMethods<Loaded extends object>(
  operation: Omit<Operation<Loaded>, 'right'>,
): Operations<Loaded> {
  return { GET: { ...operation, right: 'G' }, POST: { ...operation, right: 'A' } };
}

/**
 * Returns the endpoint of the public link in a request.
 *
 * @throws ApiError 404 when it is closed, has another link by now, or was deleted
 */
function openEndpoint({ loaded, link }: LinkContext): ScriptEndpointData {
  const data = loaded.endpoint?.data;
  const isOpen = data?.public === true && link !== undefined && data.row === link.record;
  if (!isOpen || !isCurrent(link, data)) throw notFound();
  return data;
}

const linkPath = `${scriptEndpointsPath}p/{link}/`;
const linkV1Path = `${scriptEndpointsV1Path}p/{link}/`;
const socketPath = '/instances/{instance}/sockets/endpoints/scripts/p/{link}/';

/** Routes that run a script endpoint. The part after a public link is for human readers only. */
export const scriptEndpointRunRoutes: readonly Route[] = [
  ownRoute,
  publicRoute({
    name: 'Script Endpoint Public Run',
    operationNames: bothNames('runPublicLink', 'Run a script endpoint by its public link'),
    path: linkPath,
    v1Path: linkV1Path,
  }),
  publicRoute({
    name: 'Script Endpoint Public Named Run',
    operationNames: bothNames(
      'runNamedPublicLink',
      'Run a script endpoint by its public link and name',
    ),
    path: `${linkPath}{endpoint}/`,
    v1Path: `${linkV1Path}{endpoint}/`,
  }),
  publicRoute({
    name: 'Script Endpoint Socket Run',
    operationNames: bothNames('runSocketLink', 'Run a script endpoint by its socket link'),
    path: socketPath,
    v1Path: null,
  }),
  publicRoute({
    name: 'Script Endpoint Socket Named Run',
    operationNames: bothNames(
      'runNamedSocketLink',
      'Run a script endpoint by its socket link and name',
    ),
    path: `${socketPath}{endpoint}/`,
    v1Path: null,
  }),
];
