import { realpath } from 'node:fs/promises';
import type { ScriptRunner, ScriptRuntime } from '../../../ports/script-runner.ts';
import { messageOf } from '../../../values/caught.ts';
import { openPython, type Python, pythonAdvice } from './commands/python.ts';
import {
  describeIsolation,
  type IsolationOptions,
  installCommand,
  probeIsolation,
} from './sandbox/isolation.ts';
import type { Isolation, Level } from './sandbox/level.ts';

/** Isolation and runtimes of scripts on this machine. */
export interface Machine {
  readonly isolation: Isolation;
  readonly python: Python;
  /** True when scripts are stored but do not run, because only Node's permission flags would isolate them. */
  readonly isTooWeak: boolean;
}

/**
 * Determines how this machine runs scripts.
 *
 * @param folder the data folder, if there is one
 * @throws StartError as {@link probeIsolation} does
 */
export async function probeMachine(options: IsolationOptions, folder?: string): Promise<Machine> {
  const isolation = await probeIsolation(options, folder && (await realpath(folder)));
  const python = await openPython(isolation, options, folder);
  const isTooWeak = isolation.level === 'flags' && options.weakSandbox === 'refused';
  return { isolation, python, isTooWeak };
}

/** Describes a machine in one line for the operator. */
export function describeMachine({ isolation, python, isTooWeak }: Machine): string {
  if (isolation.obstacle !== undefined) return describeObstacle(isolation.obstacle);
  const parts = [describeIsolation(isolation), python.description];
  return [...parts, ...(isTooWeak ? [tooWeak] : [])].join('; ');
}

function describeObstacle(obstacle: string): string {
  return `Scripts do not run here: ${obstacle}`;
}

const tooWeak = `Scripts do not run here: other machines reach this server, and only Node's permission flags would isolate them. Install better isolation (${installCommand}), or start the server with --weak-sandbox`;

/** Returns the reason why a runtime's scripts do not run here, and the remedy; undefined when they run. */
export function obstacleFor(
  { isolation, python, isTooWeak }: Machine,
  runtime: ScriptRuntime,
): string | undefined {
  if (isolation.obstacle !== undefined) return `${describeObstacle(isolation.obstacle)}.`;
  if (isTooWeak) return `${tooWeak}.`;
  if (runtime === 'node' || python.isAvailable) return undefined;
  return `There is no Python for scripts on this machine. ${pythonAdvice}`;
}

const timeoutMs = 30_000;
const waitMs = 120_000; // Pyodide's snapshot may have to be created first
const levelNames: Readonly<Record<Level, string>> = {
  bubblewrap: 'bubblewrap',
  landlock: 'Landlock',
  flags: "Node's permission flags",
};

/**
 * Runs a script of each runtime like any other script.
 *
 * @returns one line for the operator: `Scripts: JavaScript ok (12 ms), Python ok (bubblewrap, CPython 3.11.2)`
 */
export async function selfTest(run: ScriptRunner['run'], machine: Machine): Promise<string> {
  const { isolation, python } = machine;
  const { ms, problem } = await tryRuntime(run, machine, 'node');
  const javascript = problem ?? `ok (${ms} ms)`;
  const other = await tryRuntime(run, machine, 'python');
  const environment = `${levelNames[isolation.level]}, ${python.name}`;
  return `Scripts: JavaScript ${javascript}, Python ${other.problem ?? `ok (${environment})`}`;
}

async function tryRuntime(run: ScriptRunner['run'], machine: Machine, runtime: ScriptRuntime) {
  const obstacle = obstacleFor(machine, runtime);
  if (obstacle !== undefined) return { ms: 0, problem: `does not run: ${obstacle}` };
  const startedMs = performance.now();
  const problem = await problemOf(run, runtime);
  return { ms: Math.round(performance.now() - startedMs), problem };
}

async function problemOf(run: ScriptRunner['run'], runtime: ScriptRuntime) {
  const script = { instance: 0, owner: 0, script: 0, version: 0, runtime, source: async () => '1' }; // of no tenant
  const input = { args: {}, config: {}, meta: {}, timeoutMs, waitMs, isAwaited: true };
  try {
    const outcome = await run({ ...script, ...input });
    if (outcome.status === 'success') return undefined;
    const message = 'stderr' in outcome ? lastLine(outcome.stderr) : '';
    return `fails (${message || outcome.status}). ${remedies[runtime]}`;
  } catch (error) {
    const message = lastLine(messageOf(error));
    return `fails (${message}). ${remedies[runtime]}`;
  }
}

const remedies: Readonly<Record<ScriptRuntime, string>> = {
  node: 'Run Node 20, 22, 24 or 26, and look for the reason in the log',
  python: pythonAdvice,
};

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
