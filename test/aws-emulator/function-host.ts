import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findIsolatedPython } from '../../shared/platforms/local/scripts/commands/python-command.ts';
import { probeIsolation } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import { unpack } from '../scripts/hosts.ts';
import { startLambda } from './lambda.ts';
import { startPythonLambda } from './python-lambda.ts';

/** A function's package, run as in Lambda: in processes that take one request at a time, and are reused. */
export interface FunctionHost {
  /** The response, or Lambda's error when the function failed. */
  invoke(
    runtime: string,
    event: object,
  ): Promise<{ readonly answer?: unknown; readonly error?: object }>;
  close(): Promise<void>;
}

/** An execution environment. */
interface Environment {
  invoke(event: object): Promise<unknown>;
  close(): Promise<unknown>;
}

const variables = {
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
  AWS_LAMBDA_FUNCTION_NAME: 'script',
  AWS_ACCESS_KEY_ID: 'of-the-role-of-scripts',
  AWS_SECRET_ACCESS_KEY: 'secret',
  PATH: '/usr/bin:/bin',
};

/** Limit of idle environments of all functions; beyond, the least recently used one ends. */
const maxIdle = 4;
const idle: { readonly owner: object; readonly environment: Environment }[] = [];

/** Unpacks a package. It starts no process before the first request. */
export function openFunctionHost(zip: Uint8Array): FunctionHost {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-function-'));
  unpack(zip, folder);
  const owner = {};
  const underWay = new Set<Promise<unknown>>();
  const start = (isPython: boolean) => (isPython ? startPython(folder) : startNode(folder));
  const invoke: FunctionHost['invoke'] = async (runtime, event) => {
    const isPython = runtime.startsWith('python');
    if (!existsSync(join(folder, isPython ? 'index.py' : 'index.mjs'))) {
      return { error: { errorType: 'Runtime.ImportModuleError', errorMessage: 'no index' } };
    }
    const environment = takeIdle(owner) ?? (await start(isPython));
    try {
      const response = await environment.invoke(event);
      await keepIdle(owner, environment);
      return { answer: response };
    } catch {
      await environment.close();
      const errorMessage = 'Runtime exited with error: exit status 1';
      return { error: { errorType: 'Runtime.ExitError', errorMessage } };
    }
  };
  return {
    invoke: (runtime, event) => {
      const call = invoke(runtime, event).finally(() => underWay.delete(call));
      underWay.add(call);
      return call;
    },
    close: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay); // started invocations run to their end
      for (let own = takeIdle(owner); own !== undefined; own = takeIdle(owner)) await own.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function takeIdle(owner: object): Environment | undefined {
  const at = idle.findIndex((each) => each.owner === owner);
  return at === -1 ? undefined : idle.splice(at, 1)[0]?.environment;
}

async function keepIdle(owner: object, environment: Environment): Promise<void> {
  idle.push({ owner, environment });
  if (idle.length > maxIdle) await idle.shift()?.environment.close();
}

function startNode(folder: string): Promise<Environment> {
  return startLambda(process.execPath, join(folder, 'index.mjs'), { ...variables, TMPDIR: folder });
}

let machine: Promise<Parameters<typeof startPythonLambda>[0]> | undefined;

async function startPython(folder: string): Promise<Environment> {
  machine ??= probeIsolation({ network: true, level: 'bubblewrap' }).then(async (isolation) => {
    const python = await findIsolatedPython(isolation);
    if (python === undefined) throw new Error('no Python to run functions with');
    return { isolation, python };
  });
  const lambda = await startPythonLambda(await machine, folder, variables);
  return { ...lambda, invoke: (event) => lambda.invoke(event as never) };
}
