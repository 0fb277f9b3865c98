import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maxResidentBytes, permissionFlags, scriptVariables } from '../limits.ts';
import { startDirectly } from '../process.ts';
import { type Runner, type RunnerResult, startRunner } from '../runner-process.ts';

/*
 * The supervisor of a Node script on Lambda: the handler of the script's own function. In the function's zip it is
 * index.mjs, next to the runner, the source and the version.
 */

/** A run: the event that the platform passes to the function. */
export interface ScriptEvent {
  readonly version: number;
  readonly args: unknown;
  readonly config: unknown;
  readonly meta: unknown;
  readonly timeoutMs: number;
}

/** Result of a run, and with the first one of a function the names of what the kernel has refused to its runner. */
type ScriptFunctionResult = RunnerResult & { readonly refused?: readonly string[] };

/** Result of the function: the result of the run, or `stale` when the function has another version of the script. */
export type FunctionResult =
  | ScriptFunctionResult
  | { readonly stale: true; readonly version: number };

const temporary = mkdtempSync(join(tmpdir(), 'script-'));
const folder = fileURLToPath(new URL('.', import.meta.url)).replace(/\/$/, '');
const { version } = JSON.parse(readFileSync(`${folder}/version.json`, 'utf8')) as {
  readonly version: number; // the platform wrote it into the same zip
};
/** Part of the function's memory that is reserved for Lambda's runtime and this supervisor. */
const ownBytes = 64 * 2 ** 20;
// biome-ignore lint/style/noProcessEnv: a file of its own in a function that has nothing else of ours
const functionMegabytes = Number(process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? Infinity);
const runnerBytes = Math.min(maxResidentBytes, functionMegabytes * 2 ** 20 - ownBytes);
let runner = await start(); // a function has more CPU during initialization than later

/** Runs the script in the process of its last run if that is reusable, otherwise in a new one. */
export async function handler(event: ScriptEvent): Promise<FunctionResult> {
  if (event.version !== version) return { stale: true, version };
  if (!runner.isReusable()) runner = await start();
  const { timeoutMs } = event;
  return runner.run({
    source: readFileSync(`${folder}/main.js`, 'utf8'),
    args: JSON.stringify(event.args),
    config: JSON.stringify(event.config),
    meta: JSON.stringify(event.meta),
    timeoutMs,
  });
}

/**
 * Starts a runner, and waits until it is ready.
 *
 * @throws RunnerNotStarted with its standard error, which Lambda reports
 */
async function start(): Promise<Runner> {
  const flags = permissionFlags(process.allowedNodeEnvironmentFlags, {
    readable: [folder],
    writable: [temporary],
    hasNetwork: true,
  });
  const command = {
    program: process.execPath,
    args: [...flags, `${folder}/runner.cjs`, temporary, `${folder}/syncano.txt`],
    variables: { ...languageVariables(), ...scriptVariables(temporary) },
    folder: temporary,
    maxResidentBytes: runnerBytes,
  };
  const started = startRunner(command, startDirectly);
  await started.ready;
  if (started.isReusable()) return started;
  const text = started.startErrors() || started.failureReason();
  const error = new Error(`The runner of scripts does not start: ${text}`);
  error.name = 'RunnerNotStarted'; // also in ../python/index.py: Lambda reports it as the type
  throw error;
}

/** Returns what the program of the language needs of this process's variables. The runner hides it from scripts. */
function languageVariables(): Readonly<Record<string, string>> {
  // biome-ignore lint/style/noProcessEnv: as above
  const { LD_LIBRARY_PATH } = process.env;
  return LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH };
}
