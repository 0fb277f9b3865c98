import { idsFrom, instanceOf, reservedId } from '../core/resource/context-values.ts';
import { endpointRoute } from '../core/resource/endpoint.ts';
import type { Context, Route } from '../core/routing/route.ts';
import { commit } from '../store/commit.ts';
import type { TraceData } from '../table/records/scripts.ts';
import { depthOf } from '../values/access.ts';
import { detailError, notFound } from '../values/errors/errors.ts';
import type { JsonObject } from '../values/json/json.ts';
import { directRun, planRun } from './pending-runs.ts';
import { showPending, type TraceList, traceAccess, traceFields } from './trace-list.ts';
import { copyPart, findTrace } from './traces.ts';

/**
 * Derives the route that runs a script again as one of its traces did; the response is a new trace
 * (docs/reference/scripts.md#run-again).
 */
export function retryRoute<Loaded extends object>(list: TraceList<Loaded>): Route {
  const { name, noun, paths, item, kind, loads } = list;
  const below = (path: string | undefined) => `${path ?? ''}{${item}}/retry/`;
  return {
    ...endpointRoute<Loaded>({
      name: `${name} Trace Retry`,
      operationNames: {
        POST: { id: `run${name.replaceAll(' ', '')}Again`, summary: `Run ${noun} again` },
      },
      path: below(paths['v1.1']),
      v1Path: paths.v1 === undefined ? null : below(paths.v1),
      access: traceAccess,
      loads,
      response: {
        fields: traceFields,
        links: [{ name: 'self', type: 'detail' }],
        name: `${name} Trace`,
      },
      operations: {
        POST: {
          right: 'A',
          counter: idsFrom(`trace-${kind}`),
          run: async (context) => ({ status: 200, body: await runAgain(context, list) }),
        },
      },
      forms: { POST: {} },
    }),
    kind: 'action',
  };
}

async function runAgain<Loaded extends object>(
  context: Context<Loaded>,
  { kind, item, parent: parentOf, paths }: TraceList<Loaded>,
): Promise<JsonObject> {
  const { platform, params } = context;
  const [instance, parent, id] = [instanceOf(context), parentOf(context), params[item]];
  const found =
    id === undefined ? undefined : await findTrace(platform, { instance, kind, parent }, id);
  if (found === undefined) throw notFound();
  const { args, meta, run = directRun(parent) } = repeatable(found.data);
  const { data, writes } = planRun(
    platform,
    { instance, kind, parent, trace: reservedId(context) },
    {
      args: await copyPart(platform, instance, args),
      requestId: context.request.id,
      depth: depthOf(context.actor) + 1,
      run: { script: run.script, meta: run.meta },
      ...(meta && { meta }),
    },
  );
  await commit(context, writes);
  return showPending(context, paths, data);
}

/**
 * Returns a trace if its run can be repeated.
 *
 * @throws ApiError 400
 */
function repeatable(data: TraceData): TraceData {
  if (data.status === 'pending' || data.status === 'processing') {
    throw detailError(400, 'The run has not ended.', 'state_conflict');
  }
  if (data.status === 'blocked' || data.lacksArguments === true) {
    throw detailError(400, 'The arguments of the run were not kept.', 'state_conflict');
  }
  return data;
}
