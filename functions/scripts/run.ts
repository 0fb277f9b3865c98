import {
  type Context,
  defineFields,
  endpointRoute,
  idsFrom,
  instanceOf,
  type LoadedOf,
  notFound,
  type Route,
  reservedId,
  validInput,
} from '../../shared/core/family.ts';
import { json } from '../../shared/core/resource/field.ts';
import { maxPayloadBytes } from '../../shared/ports/run-request.ts';
import { planRun } from '../../shared/scripts/pending-runs.ts';
import { showPending, traceFields } from '../../shared/scripts/trace-list.ts';
import { keepPart } from '../../shared/scripts/traces.ts';
import { commit } from '../../shared/store/commit.ts';
import { depthOf } from '../../shared/values/access.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import { isJsonObject, type Json } from '../../shared/values/json/json.ts';
import { isStorable, readJson, readWellFormed } from '../../shared/values/json/json-values.ts';
import { read, reject, type ValueResult } from '../../shared/values/scalars.ts';
import { schemaOf } from '../../shared/values/values.ts';
import { scriptAccess } from './access.ts';
import { belowScripts, scriptOfPath } from './paths.ts';

const badPayload = dataMessages.invalidFormat('Payload');

/** Reads an object or a list, or text that holds one. An empty list is an empty object to scripts. */
function readPayload(input: unknown): ValueResult<Json> {
  const parsed = input === '' ? read({}) : readJson(input);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  // large numbers stay: arguments are never rejected for them (docs/reference/scripts.md#arguments)
  if (!(Array.isArray(value) || isJsonObject(value))) return reject(badPayload);
  if (!isStorable(value)) return reject(badPayload);
  return Array.isArray(value) && value.length === 0 ? read({}) : readWellFormed(value);
}

const fields = defineFields({
  payload: json(schemaOf(readPayload), { initial: {}, shows: 'object' }),
});

const loads = { script: scriptOfPath };
const paths = belowScripts('{id}/run/');

/**
 * Runs a script in the background; the response is a trace to look up later (docs/reference/scripts.md#direct-runs).
 */
export const runRoute: Route = {
  ...endpointRoute({
    name: 'Script Run',
    operationNames: { POST: { id: 'runScript', summary: 'Run a script' } },
    path: paths['v1.1'],
    v1Path: paths.v1,
    access: scriptAccess,
    loads,
    maxBodyBytes: maxPayloadBytes,
    response: {
      fields: traceFields,
      links: [{ name: 'self', type: 'detail' }],
      name: 'Script Trace',
    },
    operations: {
      POST: {
        right: 'A',
        counter: idsFrom('trace-script'),
        run: async (context) => ({ status: 200, body: await begin(context) }),
      },
    },
    forms: { POST: fields },
  }),
  kind: 'action',
};

async function begin(context: Context<LoadedOf<typeof loads>>) {
  const { platform } = context;
  const { script } = context.loaded;
  if (script === undefined) throw notFound();
  const { payload } = validInput(fields, await context.body(), 'create');
  const instance = instanceOf(context);
  const parent = script.data.id;
  const { data, writes } = planRun(
    platform,
    { instance, kind: 'script', parent, trace: reservedId(context) },
    {
      args: await keepPart(platform, instance, payload),
      requestId: context.request.id,
      depth: depthOf(context.actor) + 1,
    },
  );
  await commit(context, writes);
  return showPending(context, belowScripts('{id}/traces/'), data);
}
