import { idsFrom, instanceOf, notFound, reservedId } from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import type { Operation } from '../../shared/core/routing/route.ts';
import type { FinishedTrace, RunRequest } from '../../shared/ports/run-request.ts';
import { toArguments } from '../../shared/scripts/rules/endpoint-arguments.ts';
import type { ScriptResponse } from '../../shared/scripts/rules/script-response.ts';
import { scriptEntity } from '../../shared/table/entities/scripts.ts';
import type { ScriptData, ScriptEndpointData } from '../../shared/table/records/scripts.ts';
import { renderRun } from '../../shared/templates/response-templates.ts';
import { depthOf } from '../../shared/values/access.ts';
import { detailError, serverError } from '../../shared/values/errors/errors.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import type { Tenant } from '../../shared/values/tenant.ts';
import {
  type BroughtArguments,
  keptArguments,
  readEndpointArguments,
  readRawArguments,
} from './arguments.ts';
import { describeCall } from './call-meta.ts';
import { confineCookie, homeOf } from './cookies.ts';
import type { RunContext } from './loads.ts';

/** Properties of all operations that run an endpoint: the counter of the trace's id. */
export const runOperation = {
  counter: idsFrom('trace-endpoint'),
  runsCode: true,
} satisfies Partial<Operation>;

/**
 * Runs the script of an endpoint, and waits for its end.
 *
 * @returns the script's own response, or the result of the run: status 200, successful or not
 * @throws ApiError 400 or 415 for an invalid payload; 404 when the script was deleted; 408 when it takes too long: it
 *   continues, and its trace shows the end
 */
export async function runEndpoint(
  context: RunContext,
  endpoint: ScriptEndpointData,
): Promise<Response> {
  const { request, platform } = context;
  const brought = await (endpoint.raw ? readRawArguments(context) : readEndpointArguments(context));
  const script = await scriptOf(context, endpoint);
  const trace = await platform.runs.wait(
    toRun(context, { endpoint, script, brought, tenant: await tenantOf(context) }),
    platform.runs.maxWaitMs,
  );
  if (trace?.isServerError) throw serverError();
  if (trace === undefined) throw detailError(408, 'Script took too much time.', 'script_timeout');
  return (
    (await renderRun(context, standardResult(trace), ownResponse(trace)?.status)) ??
    responseOf(trace, request.path)
  );
}

/** Returns the script that was read with the endpoint; reads again when the endpoint changed since. */
async function scriptOf(context: RunContext, endpoint: ScriptEndpointData): Promise<ScriptData> {
  const read = context.loaded.script;
  if (read?.data.id === endpoint.script) return read.data;
  const { store } = context.platform;
  const script = await scriptEntity.read(store, instanceOf(context), endpoint.script);
  if (script === undefined) throw notFound();
  return script.data;
}

interface Called {
  readonly endpoint: ScriptEndpointData;
  readonly script: ScriptData;
  readonly brought: BroughtArguments;
  readonly tenant: Tenant;
}

function toRun(context: RunContext, called: Called): RunRequest {
  const { endpoint, script, brought, tenant } = called;
  const { args, isReplaced } = brought;
  const request = describeCall(context.request, isReplaced);
  const admin = context.account && {
    id: context.account.data.id,
    email: context.account.data.email,
  };
  return {
    instanceName: context.params.instance ?? '',
    kind: 'endpoint',
    parent: endpoint.row,
    trace: reservedId(context),
    script,
    config: context.loaded.config?.data.config ?? {},
    args: toArguments(args),
    meta: {
      executed_by: 'webhook',
      executor: endpoint.name,
      metadata: {},
      request,
      ...(admin && { admin }),
    },
    shown: {
      args: keptArguments(args),
      meta: request,
      ...(endpoint.raw && { lacksArguments: true }),
    },
    requestId: context.request.id,
    depth: depthOf(context.actor) + 1,
    isAwaited: true,
    ...tenant,
  };
}

const leastStatus = 200; // a lower one announces another response, and is none itself

function ownResponse({ response }: FinishedTrace): FinishedTrace['response'] {
  return response !== undefined && response.status >= leastStatus ? response : undefined;
}

function responseOf(trace: FinishedTrace, path: string): Response {
  const response = ownResponse(trace);
  if (response === undefined) return { status: 200, body: standardResult(trace) };
  const { status, content_type: type } = response;
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [name, value] of Object.entries(response.headers)) {
    if (name.toLowerCase() === 'set-cookie') cookies.push(...[value].flat());
    else if (typeof value === 'string') headers[name] = value;
  }
  const confined = cookies.map((cookie) => confineCookie(cookie, homeOf(path)));
  const content = { type, bytes: bytesOf(response) };
  return { status, headers, content, ...(confined.length > 0 && { cookies: confined }) };
}

function bytesOf({ content, encoding }: ScriptResponse): Uint8Array | string {
  return encoding === undefined ? content : Buffer.from(content, encoding);
}

/**
 * Returns the result of a run; a run that has not begun has no output, whatever its trace contains
 * (docs/reference/scripts.md#result).
 */
function standardResult({ id, status, executed_at, duration, result }: FinishedTrace): JsonObject {
  const hasBegun = status !== 'blocked' && status !== 'queue_timeout';
  return { id, status, executed_at, duration, result: hasBegun ? result : noOutput };
}

const noOutput = { stdout: '', stderr: '' };
