import { join } from 'node:path';
import { bundleFile } from '../../../lib/handler-bundle.ts';
import { type FunctionHost, openFunctionHost } from '../../aws-emulator/function-host.ts';
import type { MotoPlace } from './account.ts';
import type { Assembly } from './assembly.ts';
import type { CreatedStack } from './created-stack.ts';
import { type RunningFunction, type StackFunction, startFunction } from './runner.ts';

/** The functions of an account: those of a stack, and those of scripts. */
export interface Functions {
  /**
   * Invokes a function.
   *
   * @throws Throttled when the account's executions are all in use
   * @throws NoFunction
   */
  invoke(name: string, event: object): Promise<Invoked>;
  /** Makes a function of a script, or changes it. */
  put(name: string, change: { readonly zip?: string; readonly runtime?: string }): Promise<void>;
  delete(name: string): Promise<void>;
  /** The largest number of executions at a time, and invocations that were rejected because of the limit. */
  readonly seen: { most: number; rejected: number };
  /** Stops all processes; returns their logs. */
  close(): Promise<string>;
}

/** The response of a function, or Lambda's error when it failed. */
export type Invoked = Awaited<ReturnType<FunctionHost['invoke']>>;

/** Thrown for an invocation beyond the account's limit. */
export class Throttled extends Error {}

/** Thrown for a function that does not exist, as one of a script before its first deployment. */
export class NoFunction extends Error {}

/** Returns a function of the stack; undefined when it has no such function. */
export type FindFunction = (name: string) => StackFunction | undefined;

const backgroundMs = 300_000;
const requestMs = 29_000;

/** @param executions limit of executions at a time */
export function openFunctions(find: FindFunction, executions: number): Functions {
  const started = new Map<string, Promise<RunningFunction<unknown>>>();
  const scripts = new Map<string, { runtime: string; host: FunctionHost }>();
  const retired: FunctionHost[] = [];
  const seen = { most: 0, rejected: 0 };
  let running = 0;
  const run = async (name: string, event: object): Promise<Invoked> => {
    const script = scripts.get(name);
    if (script !== undefined) return script.host.invoke(script.runtime, event);
    const found = find(name);
    if (found === undefined) throw new NoFunction(name);
    const lambda = started.get(name) ?? startFunction<unknown>(found);
    started.set(name, lambda);
    const leftMs = /-(background|script-runs)$/.test(name) ? backgroundMs : requestMs;
    return { answer: await (await lambda).invoke(event, { leftMs }) };
  };
  return {
    seen,
    invoke: async (name, event) => {
      if (running >= executions) {
        seen.rejected += 1;
        throw new Throttled(`${running} executions`);
      }
      running += 1;
      seen.most = Math.max(seen.most, running);
      return run(name, event).finally(() => {
        running -= 1;
      });
    },
    put: async (name, { zip, runtime }) => {
      const before = scripts.get(name);
      if (before !== undefined && zip !== undefined) retired.push(before.host);
      const host = zip === undefined ? before?.host : openFunctionHost(Buffer.from(zip, 'base64'));
      if (host === undefined) throw new NoFunction(name);
      scripts.set(name, { runtime: runtime ?? before?.runtime ?? '', host });
    },
    delete: async (name) => {
      const host = scripts.get(name)?.host;
      if (host !== undefined) retired.push(host);
      scripts.delete(name);
    },
    close: async () => {
      const hosts = [...scripts.values()].map(({ host }) => host);
      await Promise.all([...hosts, ...retired].map((host) => host.close()));
      const all = await Promise.all(started.values());
      return (await Promise.all(all.map((each) => each.close()))).join('');
    },
  };
}

/**
 * Finds the functions of a stack, with their variables as CloudFormation has resolved them.
 *
 * @param hosts addresses of AWS in the variables, and what is at that place here
 */
export function functionsOf(
  { endpoint, region, credentials }: MotoPlace,
  { template, assets }: Assembly,
  created: CreatedStack,
  hosts: Readonly<Record<string, string>> = {},
): FindFunction {
  const all = new Map(
    Object.values(template.Resources)
      .filter(({ Type }) => Type === 'AWS::Lambda::Function')
      .map(({ Properties }) => [Properties.FunctionName, Properties]),
  );
  const local = (value: string) =>
    Object.entries(hosts).reduce((text, [from, to]) => text.replaceAll(from, to), value);
  return (name) => {
    const properties = all.get(name);
    const folder = assets.get(properties?.Code.S3Key);
    const found = created.functions.get(name)?.Environment?.Variables;
    if (folder === undefined || found === undefined) return undefined;
    const own = Object.entries(found).map(([variable, value]) => [variable, local(value)]);
    return {
      bundle: join(folder, bundleFile),
      properties,
      variables: {
        ...Object.fromEntries(own),
        AWS_REGION: region,
        AWS_ENDPOINT_URL: endpoint,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
    };
  };
}
