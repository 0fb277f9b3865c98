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

/** Result of the function: the result of the run, or `stale` when the function has another version of the script. */
export type FunctionResult = RunnerResult | { readonly stale: true; readonly version: number };

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
let runner = start();
await runner.ready; // a function has more CPU during initialization than later

/** Runs the script in the process of its last run if that is reusable, otherwise in a new one. */
export async function handler(event: ScriptEvent): Promise<FunctionResult> {
  if (event.version !== version) return { stale: true, version };
  if (!runner.isReusable()) runner = start();
  const { timeoutMs } = event;
  await runner.ready;
  return runner.run({
    source: readFileSync(`${folder}/main.js`, 'utf8'),
    args: JSON.stringify(event.args),
    config: JSON.stringify(event.config),
    meta: JSON.stringify(event.meta),
    timeoutMs,
  });
}

function start(): Runner {
  const flags = permissionFlags(process.allowedNodeEnvironmentFlags, {
    readable: [folder],
    writable: [temporary],
    hasNetwork: true,
  });
  const command = {
    program: process.execPath,
    args: [...flags, `${folder}/runner.cjs`, temporary],
    variables: scriptVariables(temporary),
    folder: temporary,
    maxResidentBytes: runnerBytes,
  };
  return startRunner(command, startDirectly);
}
