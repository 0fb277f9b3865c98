import { endpointRoute, type Family, type Route } from '../../shared/core/family.ts';
import {
  orderingParameters,
  pageParameters,
  projectionParameters,
} from '../../shared/core/resource/query-parameters.ts';
import { loggedFields } from './fields.ts';
import { grants } from './grants.ts';
import { readLogPage } from './page.ts';
import { rangeParameters } from './range.ts';

const name = 'Request';

const route: Route = {
  ...endpointRoute({
    name: `${name} List`,
    noun: 'request',
    description: 'Requests inside the instance in the last 24 hours.',
    path: '/instances/{instance}/request_log/',
    v1Path: null,
    access: { owner: 'LG', full: 'LG' },
    operationNames: { GET: { id: 'listRequests', summary: 'List the requests of an instance' } },
    response: { name, fields: loggedFields },
    isUnbatchable: true, // the function of batches may not read the logs of all functions
    operations: {
      GET: {
        right: 'L',
        parameters: {
          ...pageParameters,
          ...orderingParameters,
          ...rangeParameters,
          last_value: {
            type: 'string',
            description:
              'The time of the record adjacent to the page. `next` and `prev` contain it.',
          },
          ...projectionParameters,
        },
        run: async (context) => ({ status: 200, body: await readLogPage(context) }),
      },
    },
  }),
  resource: name,
  kind: 'list',
};

/** The requests of an instance, as an allow-list of their facts (docs/reference/request-log.md). */
export const requestLog: Family = {
  name: 'request-log',
  grants,
  places: { '/instances/{instance}/request_log/': '/i/{instance}/requests' },
  routes: [route],
};
