import {
  allRights,
  type Family,
  idsFrom,
  type ListOf,
  listRoutes,
  notFound,
  prefixParameters,
} from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import { readNamedItems, renameFields } from '../../shared/core/resource/named-records.ts';
import { gather } from '../../shared/core/resource/page.ts';
import type { DataEndpointData } from '../../shared/table/records/records.ts';
import { dataEndpointFields } from './fields.ts';
import { grants } from './grants.ts';
import { dataEndpointOfPath, type NumbersContext, numbersLoads } from './loads.ts';
import { dataEndpointsPath, dataEndpointsV1Path } from './paths.ts';
import { dataEndpointRunRoutes } from './run.ts';
import {
  classNumbersOf,
  createDataEndpoint,
  dataEndpointKind,
  type EndpointView,
  hasClass,
  removeDataEndpoint,
  renameDataEndpoint,
  updateDataEndpoint,
} from './write.ts';

const resource: ListOf<
  DataEndpointData,
  EndpointView,
  typeof dataEndpointFields,
  NumbersContext['loaded']
> = {
  name: 'Data Endpoint',
  path: dataEndpointsPath,
  v1Path: dataEndpointsV1Path,
  item: 'endpoint',
  access: {
    owner: allRights,
    full: allRights,
    write: allRights,
    read: 'LG',
    apiKey: 'LG',
  },
  fields: dataEndpointFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'get', type: 'get', to: 'get/' },
    { name: 'post', type: 'post', to: 'post/' },
    { name: 'rename', type: 'rename', to: 'rename/' },
  ],
  parameters: prefixParameters('name'),
  record: dataEndpointOfPath,
  loads: numbersLoads,
  counter: idsFrom('data-endpoint'),
  authorizeItem: (context, { data }) => {
    if (!hasClass(data, classNumbersOf(context))) throw notFound();
  },
  readItems: (context, range) => {
    const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
    const numbers = classNumbersOf(context);
    return gather<DataEndpointData>(
      range,
      (part) => readNamedItems(context, dataEndpointKind, part),
      ({ item: { data } }) => data.name.startsWith(prefix) && hasClass(data, numbers),
    );
  },
  view: (_, items) => Promise.resolve(items),
  segment: ({ data }) => data.name,
  create: createDataEndpoint,
  update: updateDataEndpoint,
  remove: removeDataEndpoint,
  actions: [
    {
      path: 'rename/',
      name: 'Rename',
      operationName: { id: 'renameDataEndpoint', summary: 'Rename a data endpoint' },
      fields: renameFields,
      run: renameDataEndpoint,
    },
    {
      path: 'clear_cache/',
      name: 'Clear Cache',
      operationName: {
        id: 'clearDataEndpointCache',
        summary: 'Clear the cache of a data endpoint',
      },
      fields: {},
      isSilent: true,
      // nothing is cached: clients of the service send the request all the same (docs/reference/data-endpoints.md#get)
      run: () => Promise.resolve(undefined),
    },
  ],
};

/** Saved queries for the objects of a class. */
export const dataEndpoints: Family = {
  name: 'data-endpoints',
  grants,
  places: {
    '/instances/{instance}/endpoints/data/': '/i/{instance}/endpoints',
    '/instances/{instance}/endpoints/data/{endpoint}/': '/i/{instance}/endpoints/data/{endpoint}',
  },
  routes: [...listRoutes(resource), ...dataEndpointRunRoutes],
};
