import { setTimeout as pause } from 'node:timers/promises';
import type { FunctionConfiguration, LambdaClient, Runtime } from '@aws-sdk/client-lambda';
import { errorName } from '../../../values/caught.ts';
import { type LambdaSdk, openLambda } from '../sdk/lambda-client.ts';

/** Settings of a function in addition to its code. */
export interface FunctionSettings {
  readonly Runtime: Runtime;
  readonly Handler: string;
  readonly Role: string;
  /** Megabytes. */
  readonly MemorySize: number;
  /** Seconds. */
  readonly Timeout: number;
  readonly Description: string;
}

/** A function as Lambda describes it. */
export interface FoundFunction extends Partial<FunctionSettings> {
  /** SHA-256 of its package in base64. */
  readonly hash: string;
  /** Identifies its current state in a change. */
  readonly revision: string;
  /** `failed` functions can only be deleted. */
  readonly state: 'usable' | 'changing' | 'changeFailed' | 'failed';
  /** Code of the reason of a failure. */
  readonly reason?: string;
}

/** A function in a list. */
export interface ListedFunction {
  readonly name: string;
  readonly description: string;
}

/**
 * Creates, changes and deletes functions, a few in a second: Lambda accepts about fifteen such requests a second from
 * the whole account. Each method throws ControlBusy when the request is to be retried later.
 */
export interface FunctionControl {
  /** Returns undefined when the function does not exist. */
  find(name: string): Promise<FoundFunction | undefined>;
  create(name: string, settings: FunctionSettings, code: Uint8Array): Promise<void>;
  updateCode(name: string, revision: string, code: Uint8Array): Promise<void>;
  updateSettings(name: string, revision: string, settings: FunctionSettings): Promise<void>;
  /** Deletes a function if it exists. */
  remove(name: string): Promise<void>;
  /** Lists functions of the account, some at a time. */
  list(marker?: string): Promise<{ functions: readonly ListedFunction[]; next?: string }>;
}

/** Lambda accepts no more requests now, or a function is being changed, or was changed by another process. */
export class ControlBusy extends Error {
  constructor(cause: unknown) {
    super(`not now: ${errorName(cause)}`, { cause });
    this.name = 'ControlBusy';
  }
}

/** Options of the control of functions. */
export interface ControlOptions {
  /** Created with the first request when absent. */
  readonly client?: LambdaClient;
  /** Tests pass their own. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

const requestTimeout = 30_000; // uploads a package of some megabytes
const pageSize = 50;
const architecture = 'arm64';
const temporaryMegabytes = 512;

/** Opens the control of functions. Sends no request by itself. */
export function openFunctionControl({
  client,
  sleep = pause,
}: ControlOptions = {}): FunctionControl {
  const withLambda = openLambda({ client, requestTimeout });
  const turn = openTurns(sleep);
  const call = async <T>(run: (client: LambdaClient, sdk: LambdaSdk) => Promise<T>): Promise<T> => {
    try {
      return await withLambda(run);
    } catch (error) {
      throw busy.includes(errorName(error)) ? new ControlBusy(error) : error;
    }
  };
  const change: typeof call = async (run) => {
    await turn();
    return call(run);
  };
  return {
    find: (FunctionName) =>
      call(async (lambda, { GetFunctionCommand }) => {
        const found = await unlessMissing(lambda.send(new GetFunctionCommand({ FunctionName })));
        return found?.Configuration && read(found.Configuration);
      }),
    create: (FunctionName, settings, ZipFile) =>
      change(async (lambda, { CreateFunctionCommand }) => {
        await lambda.send(
          new CreateFunctionCommand({
            FunctionName,
            ...settings,
            Architectures: [architecture],
            EphemeralStorage: { Size: temporaryMegabytes },
            Code: { ZipFile },
          }),
        );
      }),
    updateCode: (FunctionName, RevisionId, ZipFile) =>
      change(async (lambda, { UpdateFunctionCodeCommand }) => {
        await lambda.send(
          new UpdateFunctionCodeCommand({
            FunctionName,
            RevisionId,
            ZipFile,
            Architectures: [architecture],
          }),
        );
      }),
    updateSettings: (FunctionName, RevisionId, settings) =>
      change(async (lambda, { UpdateFunctionConfigurationCommand }) => {
        await lambda.send(
          new UpdateFunctionConfigurationCommand({ FunctionName, RevisionId, ...settings }),
        );
      }),
    remove: (FunctionName) =>
      change(async (lambda, { DeleteFunctionCommand }) => {
        await unlessMissing(lambda.send(new DeleteFunctionCommand({ FunctionName })));
      }),
    list: (Marker) =>
      change(async (lambda, { ListFunctionsCommand }) => {
        const { Functions = [], NextMarker } = await lambda.send(
          new ListFunctionsCommand({ MaxItems: pageSize, ...(Marker !== undefined && { Marker }) }),
        );
        const functions = Functions.map(({ FunctionName = '', Description = '' }) => ({
          name: FunctionName,
          description: Description,
        }));
        return { functions, ...(NextMarker && { next: NextMarker }) };
      }),
  };
}

const busy = [
  'TooManyRequestsException',
  'ThrottlingException',
  'ResourceConflictException',
  'PreconditionFailedException',
];

async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (errorName(error) !== 'ResourceNotFoundException') throw error;
    return undefined;
  }
}

function read(configuration: FunctionConfiguration): FoundFunction {
  const { Runtime, Handler, Role, MemorySize, Timeout, Description } = configuration;
  const settings = { Runtime, Handler, Role, MemorySize, Timeout, Description };
  return {
    ...(settings as Partial<FunctionSettings>), // an absent setting counts as another value
    hash: configuration.CodeSha256 ?? '',
    revision: configuration.RevisionId ?? '',
    ...stateOf(configuration),
  };
}

function stateOf(configuration: FunctionConfiguration): Pick<FoundFunction, 'state' | 'reason'> {
  const { State, StateReasonCode, LastUpdateStatus, LastUpdateStatusReasonCode } = configuration;
  if (State === 'Failed') return { state: 'failed', reason: StateReasonCode ?? 'unknown' };
  if (State === 'Pending' || LastUpdateStatus === 'InProgress') return { state: 'changing' };
  if (LastUpdateStatus === 'Failed') {
    return { state: 'changeFailed', reason: LastUpdateStatusReasonCode ?? 'unknown' };
  }
  return { state: 'usable' };
}

const burst = 5;
const turnMs = 200;

/** Limits requests: some at once, then five a second. Other processes have their own limit; Lambda rejects excess. */
function openTurns(sleep: (ms: number) => Promise<unknown>): () => Promise<void> {
  let freeAt = 0; // the end of all assigned turns, if each takes its full time
  return async () => {
    const now = performance.now();
    const waitMs = freeAt - (burst - 1) * turnMs - now;
    freeAt = Math.max(freeAt, now) + turnMs;
    if (waitMs > 0) await sleep(waitMs);
  };
}
