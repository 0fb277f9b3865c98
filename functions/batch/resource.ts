import { allRights } from '../../shared/domain/access.ts';
import { maxEventBytes } from '../../shared/http/answer.ts';
import { queryValue, type Request, type Response } from '../../shared/http/message.ts';
import { jsonIndent, negotiate } from '../../shared/http/negotiation.ts';
import { withIgnored } from '../../shared/http/unknown-names.ts';
import { endpointRoute } from '../../shared/resource/endpoint.ts';
import type { Context, Family } from '../../shared/resource/route.ts';
import { readRequests, requestFields } from './requests.ts';
import { collectResults } from './results.ts';
import { runRequests } from './run.ts';

/** Many calls in one, inside one instance. Who may call it is asked of each of its items. */
export const batch: Family = {
  name: 'batch',
  routes: [
    endpointRoute({
      name: 'Batch',
      operationNames: { POST: { id: 'runBatch', summary: 'Run a batch of requests' } },
      path: '/instances/{instance}/batch/',
      access: { account: allRights, apiKey: allRights },
      operations: { POST: { right: 'A', run } },
      forms: { POST: requestFields },
      isUnbatchable: true,
      isUntemplated: true,
      countsAsItems: true,
    }),
  ],
};

/** Pages and indented answers are made of the values again, and are longer than their text; how much, nobody knows. */
const roomForForm = 8;

async function run(context: Context): Promise<Response> {
  const requests = readRequests(await context.body(), context.params.instance ?? '');
  const results = collectResults(requests.length, maxBytesOf(context.request));
  await runRequests(context, requests, results);
  return withIgnored({ status: 200, body: results.finish() }, results.ignored());
}

function maxBytesOf({ headers: { accept }, query }: Request): number {
  const isPlain = negotiate(accept, queryValue(query, 'format')) === 'json' && !jsonIndent(accept);
  return isPlain ? maxEventBytes : maxEventBytes / roomForForm;
}
