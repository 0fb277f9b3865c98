import { type Context, type LoadedOf, recordAt } from '../../shared/core/family.ts';
import { lookup } from '../../shared/core/resource/loads/loads.ts';
import {
  scriptEndpointEntity,
  scriptEndpointPositionEntity,
} from '../../shared/table/entities/endpoints.ts';
import { configEntity } from '../../shared/table/entities/instances.ts';
import { scriptEntity } from '../../shared/table/entities/scripts.ts';
import { isInstance } from '../../shared/values/keys/data-ids.ts';

/** The script endpoint that a path names. */
export const scriptEndpointOfPath = recordAt(scriptEndpointEntity, ['instance', '{endpoint}']);

const endpoint = lookup(scriptEndpointOfPath, ({ script }) => script);

/** Loads of routes of an endpoint: the endpoint, and its script. */
export const endpointLoads = {
  endpoint,
  script: recordAt(scriptEntity, ['instance', endpoint]),
};

const config = recordAt(configEntity, ['instance']);

/** Loads of runs by the name of the endpoint. */
export const runLoads = { ...endpointLoads, config };

/** The list position in a public link, which gives the name and the script of its endpoint. */
const listedEndpoint = lookup(
  recordAt(scriptEndpointPositionEntity, ['instance', 'link'], (instance, link) =>
    // a link of another instance has none
    isInstance(link.scope, instance)
      ? scriptEndpointPositionEntity.key(instance, link.record)
      : undefined,
  ),
  ({ name, script }) => ({ name, script }),
);

/** Loads of runs by public link. */
export const linkLoads = {
  row: listedEndpoint,
  endpoint: recordAt(scriptEndpointEntity, ['instance', listedEndpoint], (instance, { name }) =>
    scriptEndpointEntity.key(instance, name),
  ),
  script: recordAt(scriptEntity, ['instance', listedEndpoint], (instance, { script }) =>
    scriptEntity.key(instance, script),
  ),
  config,
};

/** A request to a route of an endpoint. */
export type ScriptEndpointContext = Context<LoadedOf<typeof endpointLoads>>;
/** A run. */
export type RunContext = Context<Pick<LoadedOf<typeof runLoads>, 'script' | 'config'>>;
/** A run by public link. */
export type LinkContext = Context<LoadedOf<typeof linkLoads>>;
