import type { LambdaClient } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import type { Log } from '../../../ports/ports.ts';
import type { EndedRun } from '../../../ports/script-runner.ts';
import type { ScriptEvent } from '../../../runtimes/node/lambda.ts';
import { judgeRun, tooMuchOutput } from '../../../scripts/rules/script-result.ts';
import { errorName } from '../../../values/caught.ts';
import { writeExactJson } from '../../../values/json/exact-number.ts';
import type { LambdaSdk } from '../sdk/lambda-client.ts';

/**
 * The result of an invocation. Unless it has `ended`, nothing has run: `stale`, the function has another version;
 * `busy`, Lambda accepts no more now; `absent`, the function does not exist; `unready`, it is being created or changed.
 */
export type InvocationResult =
  | { readonly kind: 'ended'; readonly outcome: EndedRun }
  | { readonly kind: 'stale'; readonly version: number }
  | { readonly kind: 'busy'; readonly afterMs?: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unready' };

/** A function of Lambda, and its client. */
export interface Invocation {
  readonly client: LambdaClient;
  readonly sdk: LambdaSdk;
  readonly name: string;
  /** Receives what an operator should know: functions of scripts have no right to write logs. */
  readonly log: Log;
}

/**
 * Invokes a script's function, once.
 *
 * @throws errors of Lambda that this deployment caused: a missing right, a wrong parameter
 */
export function invokeScript(
  { client, sdk, name, log }: Invocation,
  event: ScriptEvent,
): Promise<InvocationResult> {
  const sentMs = Date.now();
  const ended = (result: Partial<EndedRun>): InvocationResult => {
    const durationMs = Date.now() - sentMs;
    const none = { status: 'failure', stdout: '', stderr: '' } as const;
    return { kind: 'ended', outcome: { ...none, executedAtMs: sentMs, durationMs, ...result } };
  };
  return client
    .send(new sdk.InvokeCommand({ FunctionName: name, Payload: writeExactJson(event) }))
    .then(
      ({ FunctionError, Payload }) => {
        const text = Buffer.from(Payload ?? []).toString();
        const logged: Log = (entry) => log({ ...entry, function: name });
        if (FunctionError !== undefined) return readFailure(text, ended, logged);
        return readResult(text, sentMs, { ended, log: logged });
      },
      (error: unknown) => readInvocationError(error, ended),
    );
}

/** The message about protections that scripts lack on this kernel (docs/guides/scripts.md#on-aws). */
export const refusedMessage = 'the kernel refuses protections of Python scripts';

type Ended = (result: Partial<EndedRun>) => InvocationResult;

/** Protections of the runner of a Python script that a kernel may lack: see runtimes/python/index.py. */
const refusable = ['filters', 'privileges', 'orphans', 'hiding'] as const;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const resultSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.object({ stale: v.literal(true), version: whole }),
    v.object({
      exitCode: v.nullable(v.number()),
      isTimedOut: v.boolean(),
      isCut: v.boolean(),
      stdout: v.string(),
      stderr: v.string(),
      response: v.exactOptional(v.string()),
      executedAtMs: v.number(),
      durationMs: v.number(),
      refused: v.optional(v.array(v.picklist(refusable)), []),
    }),
  ]),
);

/** Reads the supervisor's response, which is untrusted: its times are limited to those of the request. */
function readResult(
  text: string,
  sentMs: number,
  { ended, log }: { readonly ended: Ended; readonly log: Log },
): InvocationResult {
  const parsed = v.safeParse(resultSchema, text);
  if (!parsed.success) return ended({ stderr: failureMessage('an invalid response') });
  const response = parsed.output;
  if ('stale' in response) return { kind: 'stale', version: response.version };
  const { refused } = response;
  if (refused.length > 0) log({ level: 'info', message: refusedMessage, refused });
  const nowMs = Date.now();
  const executedAtMs = clamp(response.executedAtMs, sentMs, nowMs);
  const durationMs = Math.round(clamp(response.durationMs, 0, nowMs - executedAtMs));
  return ended({ ...judgeRun(response), executedAtMs, durationMs });
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

const failureSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    errorType: v.optional(v.string(), ''),
    errorMessage: v.optional(v.string(), ''),
  }),
);

const maxReason = 2500; // characters

/** Errors while code and runtime of a function differ during a change: no supervisor was found, nothing has run. */
const notStarted = ['Runtime.ImportModuleError', 'Runtime.HandlerNotFound'];

/** Reads an unexpected failure of a function: errors of its script are in the supervisor's response. */
function readFailure(text: string, ended: Ended, log: Log): InvocationResult {
  const parsed = v.safeParse(failureSchema, text);
  const { errorType, errorMessage } = parsed.success
    ? parsed.output
    : { errorType: '', errorMessage: '' };
  if (notStarted.includes(errorType)) return { kind: 'unready' };
  if (errorType === 'RunnerNotStarted') {
    const reason = errorMessage.slice(0, maxReason);
    log({ level: 'error', message: 'the function of a script cannot start its runner', reason });
  }
  if (errorType === 'Sandbox.Timedout' || /Task timed out after/.test(errorMessage)) {
    return ended({ status: 'timeout', stderr: 'The function of the script timed out.' });
  }
  if (errorType === 'Function.ResponseSizeTooLarge') return ended({ stderr: tooMuchOutput });
  if (errorType === 'Runtime.OutOfMemory' || /signal: killed/.test(errorMessage)) {
    return ended({ stderr: 'The run has used more memory than its function has.' });
  }
  return ended({
    stderr: failureMessage(/^[\w.]{1,60}$/.test(errorType) ? errorType : 'an unknown error'),
  });
}

function failureMessage(why: string): string {
  return `The function of the script has failed: ${why}.`;
}

const tooLarge = ['RequestTooLargeException', 'SerializedRequestEntityTooLargeException'];
const unready = [
  'ResourceConflictException', // pending, or inactive: the request has started its return
  'ResourceNotReadyException',
  'CodeArtifactUserPendingException',
];
const throttles = ['TooManyRequestsException', 'ThrottlingException', 'EC2ThrottledException'];
/** Errors of Lambda itself that nothing but the deployment can cause; their status is 502. */
const denials = ['EC2AccessDeniedException', 'KMSAccessDeniedException', 'KMSDisabledException'];
/** Errors without a connection, so nothing was sent. */
const unreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

function readInvocationError(error: unknown, ended: Ended): InvocationResult {
  const name = errorName(error);
  const { $metadata, code, retryAfterSeconds } = error as InvocationError; // each may be absent
  if (throttles.includes(name)) {
    const afterMs = Number(retryAfterSeconds) * 1000;
    return { kind: 'busy', ...(afterMs > 0 && { afterMs }) };
  }
  if (name === 'ResourceNotFoundException') return { kind: 'absent' };
  if (unready.includes(name)) return { kind: 'unready' };
  if (tooLarge.includes(name)) {
    return ended({
      stderr: 'The script has not run: its arguments and configuration are too large.',
    });
  }
  if (unreachable.includes(code ?? '')) return { kind: 'busy' };
  const status = $metadata?.httpStatusCode;
  if ((status !== undefined && status < 500) || denials.includes(name)) throw error;
  const why = status === undefined ? 'The connection to it was lost' : `Lambda failed (${name})`;
  return ended({ stderr: `${why}: the script may or may not have run to its end.` });
}

interface InvocationError {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly code?: string;
  readonly retryAfterSeconds?: string;
}
