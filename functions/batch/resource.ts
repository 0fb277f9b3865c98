import { allRights, type Context, endpointRoute, type Family } from '../../shared/core/family.ts';
import { maxEventBytes, pageForm, type SizedForm } from '../../shared/core/http/event-size.ts';
import { queryValue, type Request, type Response } from '../../shared/core/http/message.ts';
import { chooseForm, jsonIndent } from '../../shared/core/http/negotiation.ts';
import { withIgnored } from '../../shared/core/pipeline/unknown-names.ts';
import { readRequests, requestFields } from './requests.ts';
import { collectResults } from './results.ts';
import { runRequests } from './run.ts';

/** Many requests in one, inside one instance. Each item checks the rights of the caller. */
export const batch: Family = {
  name: 'batch',
  grants: {}, // its function has the grants of all families, which serve the items
  places: { '/instances/{instance}/': '/i/{instance}' },
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
      isBatch: true,
    }),
  ],
};

async function run(context: Context): Promise<Response> {
  const requests = readRequests(await context.body(), context.params.instance ?? '');
  const results = collectResults(requests.length, formOf(context.request));
  await runRequests(context, requests, results);
  return withIgnored({ status: 200, body: results.finish() }, results.ignored());
}

function formOf({ headers: { accept }, query }: Request): SizedForm {
  const isJson = chooseForm(accept, queryValue(query, 'format')) === 'json';
  return isJson ? { maxBytes: maxEventBytes, indent: jsonIndent(accept) } : pageForm;
}
