import { createHash } from 'node:crypto';
import { type FunctionHost, openFunctionHost } from './function-host.ts';

/*
 * The parts of Lambda that scripts use. Functions that are created here really run, each in processes of its own; one
 * that was just created or changed is not ready at the first request. Others, of the deployment itself, are invoked
 * by name.
 */

// biome-ignore lint/suspicious/noExplicitAny: requests in the JSON of AWS
type Any = any;

/** A request of Lambda. */
export interface LambdaRequest {
  readonly operation: string;
  readonly name: string;
  readonly marker: string;
  /** `Event` or `RequestResponse`. */
  readonly invocation: string;
  readonly input: Any;
}

/** Its response. */
export interface LambdaResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A running Lambda. */
export interface FakeLambda {
  answer(asked: LambdaRequest): Promise<LambdaResponse>;
  /** Resolves when no asynchronous invocation is active. @returns whether there was one */
  idle(): Promise<boolean>;
  close(): Promise<void>;
}

interface Made {
  configuration: Any;
  host: FunctionHost;
  /** Its state after the next request. */
  next: { readonly configuration: Any; readonly host: FunctionHost } | undefined;
}

const operations: readonly (readonly [method: string, path: RegExp, operation: string])[] = [
  ['POST', /^$/, 'CreateFunction'],
  ['GET', /^$/, 'ListFunctions'],
  ['GET', /^([^/]+)$/, 'GetFunction'],
  ['DELETE', /^([^/]+)$/, 'DeleteFunction'],
  ['PUT', /^([^/]+)\/code$/, 'UpdateFunctionCode'],
  ['PUT', /^([^/]+)\/configuration$/, 'UpdateFunctionConfiguration'],
  ['POST', /^([^/]+)\/invocations$/, 'Invoke'],
];

/** Parses a request. Throws Error for one that a deployment does not send. */
export function readLambda(
  {
    method = '',
    url = '',
  }: { readonly method?: string | undefined; readonly url?: string | undefined },
  headers: Readonly<Record<string, unknown>>,
  body: Buffer,
): LambdaRequest {
  const { pathname, searchParams } = new URL(url, 'http://lambda');
  const path = decodeURIComponent(pathname.replace(/^\/2015-03-31\/functions\/?/, ''));
  const found = operations.find((each) => each[0] === method && each[1].test(path));
  if (found === undefined) throw new Error(`Lambda does not know ${method} ${url}`);
  const input = body.length === 0 ? {} : JSON.parse(body.toString());
  return {
    operation: found[2],
    name: found[1].exec(path)?.[1] ?? input.FunctionName ?? '',
    marker: searchParams.get('Marker') ?? '',
    invocation: String(headers['x-amz-invocation-type'] ?? 'RequestResponse'),
    input,
  };
}

const place = 'arn:AWS::Partition:lambda:AWS::Region:AWS::AccountId'; // in the spelling of the template

const passRole = { action: 'iam:PassRole', passedTo: 'lambda.amazonaws.com' };

/** Returns the permission that a request requires. */
export function lambdaAccesses({ operation, name, input }: LambdaRequest): readonly {
  readonly action: string;
  readonly resource: string;
  readonly passedTo?: string;
}[] {
  const action = operation === 'Invoke' ? 'lambda:InvokeFunction' : `lambda:${operation}`;
  const resource = operation === 'ListFunctions' ? '*' : `${place}:function:${name}`;
  const isGivingRole = operation !== 'Invoke' && input.Role !== undefined;
  return [{ action, resource }, ...(isGivingRole ? [{ ...passRole, resource: input.Role }] : [])];
}

/** Invokes a function of the deployment itself; undefined: it has none of this name. */
export type OwnFunctions = (name: string, event: unknown) => Promise<unknown> | undefined;

/** Opens a Lambda without functions. */
export function createFakeLambda(own: OwnFunctions = () => undefined): FakeLambda {
  const functions = new Map<string, Made>();
  const retired: FunctionHost[] = [];
  const running = new Set<Promise<unknown>>();
  let revisions = 0;

  const hostOf = (zip: string) => openFunctionHost(Buffer.from(zip, 'base64'));
  const revised = (configuration: Any): Any => {
    revisions += 1;
    return { ...configuration, RevisionId: `r${revisions}` };
  };
  const withCode = (configuration: Any, zip: string): Any =>
    revised({
      ...configuration,
      CodeSha256: sha256(zip),
      State: 'Active',
      LastUpdateStatus: 'Successful',
    });

  /** Returns the function for this request; the next one may find a later state. */
  const look = (name: string): Made => {
    const made = functions.get(name);
    if (made === undefined) throw new LambdaError(404, 'ResourceNotFoundException');
    const seen = { ...made };
    if (made.next !== undefined) {
      if (made.next.host !== made.host) retired.push(made.host); // this request still gets it
      functions.set(name, { ...made.next, next: undefined });
    }
    return seen;
  };
  const toChange = (name: string, revision: string): Made => {
    const made = look(name);
    if (made.next !== undefined) throw new LambdaError(409, 'ResourceConflictException');
    if (revision !== made.configuration.RevisionId)
      throw new LambdaError(412, 'PreconditionFailedException');
    return made;
  };
  const change = (name: string, made: Made, next: NonNullable<Made['next']>): Any => {
    const configuration = { ...made.configuration, LastUpdateStatus: 'InProgress' };
    functions.set(name, { ...made, configuration, next });
    return configuration;
  };

  const control = async ({ operation, name, input }: LambdaRequest): Promise<Any> => {
    switch (operation) {
      case 'CreateFunction': {
        if (functions.has(name)) throw new LambdaError(409, 'ResourceConflictException');
        const { Code, ...settings } = input;
        const configuration = withCode(settings, Code.ZipFile);
        const host = hostOf(Code.ZipFile);
        const pending = { ...configuration, State: 'Pending' };
        functions.set(name, { configuration: pending, host, next: { configuration, host } });
        return pending;
      }
      case 'GetFunction':
        return { Configuration: look(name).configuration };
      case 'ListFunctions':
        return { Functions: [...functions.values()].map(({ configuration }) => configuration) };
      case 'UpdateFunctionCode': {
        const made = toChange(name, input.RevisionId);
        const configuration = withCode(made.configuration, input.ZipFile);
        return change(name, made, { configuration, host: hostOf(input.ZipFile) });
      }
      case 'UpdateFunctionConfiguration': {
        const made = toChange(name, input.RevisionId);
        const { FunctionName: _, RevisionId: __, ...settings } = input;
        const configuration = revised({ ...made.configuration, ...settings });
        return change(name, made, { configuration, host: made.host });
      }
      case 'DeleteFunction':
        retired.push(look(name).host);
        functions.delete(name);
        return {};
      default:
        throw new Error(`Lambda does not know ${operation}`);
    }
  };

  const invoke = async ({ name, invocation, input }: LambdaRequest): Promise<LambdaResponse> => {
    const invoked = own(name, input);
    if (invocation === 'Event') {
      if (invoked === undefined) throw new LambdaError(404, 'ResourceNotFoundException');
      const run = invoked.catch(() => undefined).finally(() => running.delete(run));
      running.add(run);
      return { status: 202, body: '' };
    }
    if (invoked !== undefined)
      return { status: 200, body: JSON.stringify(await invoked) ?? 'null' };
    const { configuration, host } = look(name);
    if (configuration.State === 'Pending') throw new LambdaError(409, 'ResourceConflictException');
    const { error, answer: response } = await host.invoke(configuration.Runtime, input);
    if (error === undefined) return { status: 200, body: JSON.stringify(response) };
    return {
      status: 200,
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: JSON.stringify(error),
    };
  };

  return {
    answer: async (asked) => {
      try {
        if (asked.operation === 'Invoke') return await invoke(asked);
        return { status: 200, body: JSON.stringify(await control(asked)) };
      } catch (error) {
        if (!(error instanceof LambdaError)) throw error;
        const headers = { 'x-amzn-errortype': error.message };
        return { status: error.status, headers, body: JSON.stringify({ message: error.message }) };
      }
    },
    idle: async () => {
      const isBusy = running.size > 0;
      while (running.size > 0) await Promise.allSettled(running);
      return isBusy;
    },
    close: async () => {
      const hosts = [...functions.values()].map(({ host }) => host);
      await Promise.all([...hosts, ...retired].map((host) => host.close()));
    },
  };
}

class LambdaError extends Error {
  readonly status: number;

  constructor(status: number, name: string) {
    super(name);
    this.status = status;
  }
}

function sha256(zip: string): string {
  return createHash('sha256').update(Buffer.from(zip, 'base64')).digest('base64');
}
