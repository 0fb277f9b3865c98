import { endpointRoute, linkPage } from '../../shared/core/resource/endpoint.ts';
import { computed, type Fields } from '../../shared/core/resource/field.ts';
import { pathOf } from '../../shared/core/resource/links.ts';
import { pageBody } from '../../shared/core/resource/page.ts';
import { parseTrim } from '../../shared/core/resource/projection.ts';
import {
  orderingParameters,
  pageParameters,
  trimParameters,
} from '../../shared/core/resource/query-parameters.ts';
import type { Context, Family, Known, Route } from '../../shared/core/resource/route.ts';
import { ownedEntity } from '../../shared/store/entities.ts';
import type { Access } from '../../shared/values/access.ts';
import { filterParameters } from './filter.ts';
import { readUsage, showRow } from './list.ts';
import { type Period, sources } from './sums.ts';

const access: Access = { account: 'LG' };

/** What the instances of an account have used (docs/reference/usage.md#rows). */
export const usage: Family = {
  name: 'usage',
  routes: [
    linkPage({
      name: 'Usage',
      path: '/usage/',
      access,
      links: { hourly: 'hourly/', daily: 'daily/' },
    }),
    usageList('Hourly Usage', '/usage/hourly/', 'hour', { hour: computed('datetime') }),
    usageList('Daily Usage', '/usage/daily/', 'day', { date: computed('string') }),
  ],
};

function usageList(name: string, path: string, period: Period, moment: Fields): Route {
  const fields: Fields = {
    ...moment,
    source: computed('choice', { choices: sources }),
    instance: computed('string'),
    value: computed('integer'),
  };
  const run = async (context: Context) => {
    const page = await readUsage(context, period, pathOf(context, route.paths));
    const trim = parseTrim(context.request.query);
    const rows = page.rows.map((row) => showRow(period, row));
    const objects = trim === undefined ? rows : rows.map((row) => trim(row, fields));
    return { status: 200, body: pageBody(page, objects) };
  };
  const parameters = {
    ...pageParameters,
    ...orderingParameters,
    ...filterParameters(period),
    last_value: {
      type: 'string',
      description: `The ${period} of the row next to the page. As in \`next\` and \`prev\`.`,
    },
    ...trimParameters,
  } as const;
  const reads = ({ account }: Known) => ({
    owned: account === undefined ? undefined : ownedEntity.key(account),
  });
  const route: Route = {
    ...endpointRoute({
      name: `${name} List`,
      path,
      access,
      answer: { name, fields },
      operations: { GET: { right: 'L', parameters, reads, run } },
    }),
    resource: name,
    kind: 'list',
  };
  return route;
}
