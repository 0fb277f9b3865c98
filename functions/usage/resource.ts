import {
  type Context,
  computed,
  endpointRoute,
  type Family,
  type Fields,
  type Route,
} from '../../shared/core/family.ts';
import { linkPage } from '../../shared/core/resource/endpoint.ts';
import { linkPath } from '../../shared/core/resource/links.ts';
import { pageBody } from '../../shared/core/resource/page.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import {
  orderingParameters,
  pageParameters,
  projectionParameters,
} from '../../shared/core/resource/query-parameters.ts';
import type { OperationName } from '../../shared/core/routing/route.ts';
import type { Access } from '../../shared/values/access.ts';
import { usageFilterParameters } from './filter.ts';
import { grants } from './grants.ts';
import { readUsage, showRow, type UsageLoaded, usageLoads } from './list.ts';
import { type Period, sources } from './sums.ts';

const access: Access = { account: 'LG' };

/** The usage of an account's instances (docs/reference/usage.md#rows). */
export const usage: Family = {
  name: 'usage',
  grants,
  places: { '/usage/': '/' },
  routes: [
    linkPage({
      name: 'Usage',
      noun: 'usage links',
      path: '/usage/',
      access,
      links: { hourly: 'hourly/', daily: 'daily/' },
    }),
    usageList({
      name: 'Hourly Usage',
      operationName: { id: 'listHourlyUsage', summary: 'List usage by hour' },
      path: '/usage/hourly/',
      period: 'hour',
      moment: { hour: computed('datetime') },
    }),
    usageList({
      name: 'Daily Usage',
      operationName: { id: 'listDailyUsage', summary: 'List usage by day' },
      path: '/usage/daily/',
      period: 'day',
      moment: { date: computed('string') },
    }),
  ],
};

interface UsageList {
  readonly name: string;
  readonly operationName: OperationName;
  readonly path: string;
  readonly period: Period;
  /** The field of the time. */
  readonly moment: Fields;
}

function usageList({ name, operationName, path, period, moment }: UsageList): Route {
  const fields: Fields = {
    ...moment,
    source: computed('choice', { choices: sources }),
    instance: computed('string', { isOptional: true }), // absent in sums over all instances
    value: computed('integer'),
  };
  const run = async (context: Context<UsageLoaded>) => {
    const page = await readUsage(context, period, linkPath(context, route.paths));
    const project = parseProjection(context.request.query);
    const rows = page.rows.map((row) => showRow(period, row));
    const objects = rows.map((row) => project(row, fields));
    return { status: 200, body: pageBody(page, objects) };
  };
  const parameters = {
    ...pageParameters,
    ...orderingParameters,
    ...usageFilterParameters(period),
    last_value: {
      type: 'string',
      description: `The ${period} of the row adjacent to the page. \`next\` and \`prev\` contain it.`,
    },
    ...projectionParameters,
  } as const;
  const route: Route = {
    ...endpointRoute({
      name: `${name} List`,
      path,
      access,
      operationNames: { GET: operationName },
      response: { name, fields },
      loads: usageLoads,
      operations: { GET: { right: 'L', parameters, run } },
    }),
    resource: name,
    kind: 'list',
  };
  return route;
}
