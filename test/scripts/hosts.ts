import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { nodeRuntimeFiles } from '../../lib/script-runtime.ts';
import type { Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { type LocalScripts, openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import type { ScriptRun, ScriptRuntime } from '../../shared/ports/script-runner.ts';
import type { FunctionResult, ScriptEvent } from '../../shared/runtimes/node/lambda.ts';
import { packScript, type RuntimeFiles } from '../../shared/runtimes/package.ts';
import { judgeRun, type ScriptResult } from '../../shared/scripts/rules/script-result.ts';
import { startLambda } from '../aws-emulator/lambda.ts';
import { levels } from './levels.ts';

/** A script to run, with its input. */
export interface Sample {
  readonly source: string;
  readonly args?: unknown;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
}

/** A host that runs scripts. */
export interface Host {
  /** Runs the sample repeatedly, in order, as one script; returns the last result. */
  run(sample: Sample, times?: number): Promise<ScriptResult>;
  close(): Promise<unknown>;
}

/** A value in the environment of every host, which scripts must not find. */
export const secret = 'a secret of the host';

/** Names of hosts by their levels. */
export const hostNames = {
  bubblewrap: 'a box',
  landlock: 'Landlock',
  flags: 'a bare process',
} as const;

const { GROUNDWORK_TEST_NODE: lambdaNode } = process.env;

/** Functions that open the hosts of this machine for JavaScript, by name: its sandbox at each supported level, and the zip. */
export const nodeHosts: ReadonlyMap<string, () => Host> = new Map([
  ...levels.map((level) => [hostNames[level], () => openLocal('node', level)] as const),
  ['the zip', () => openNodeZips(process.execPath)],
  ...(lambdaNode === undefined
    ? []
    : [["the zip on Lambda's Node", () => openNodeZips(lambdaNode)] as const]),
]);

/** Opens a host that runs scripts in this machine's sandbox. */
export function openLocal(runtime: ScriptRuntime, level: Level, folder?: string): Host {
  process.env.GROUNDWORK_TEST_SECRET = secret;
  const isolation = { network: true, level };
  const scripts = openScripts({ isolation, slots: 3, ...(folder !== undefined && { folder }) });
  let script = 0;
  return {
    close: () => scripts.close(),
    run: (sample, times = 1) => {
      script += 1;
      const run = { ...sample, runtime, script };
      return repeat(times, () => runLocally(scripts, run));
    },
  };
}

/** Runs `once` repeatedly, in order; returns the last result. */
async function repeat<Result>(times: number, once: () => Promise<Result>): Promise<Result> {
  for (let left = times; left > 1; left -= 1) await once();
  return once();
}

/** Runs a sample by a local runner; parts of the run may be overridden. */
export async function runLocally(
  scripts: LocalScripts,
  run: Sample & Partial<Omit<ScriptRun, 'source'>>,
): Promise<ScriptResult> {
  const { source, ...given } = run;
  const outcome = await scripts.run({ ...defaults, ...given, source: async () => source });
  if (outcome.status === 'blocked' || outcome.status === 'queue_timeout') {
    throw new Error(outcome.status);
  }
  const { executedAtMs, durationMs, ...result } = outcome;
  if (!Number.isInteger(executedAtMs) || !Number.isInteger(durationMs)) throw new Error('no times');
  return result;
}

const defaults = {
  instance: 1,
  owner: 1,
  script: 1,
  version: 1,
  runtime: 'node',
  args: {},
  config: {},
  meta: {},
  timeoutMs: 60_000,
  waitMs: 60_000,
  isAwaited: true,
} as const;

/** A function of a script, as Lambda runs it. */
interface ScriptFunction {
  invoke(event: ScriptEvent): Promise<FunctionResult>;
  close(): Promise<unknown>;
}

/**
 * Opens a host that runs scripts in the zips of their functions, as Lambda does.
 *
 * @param start starts the function in a folder
 */
export function openZips(
  pack: (source: string) => Uint8Array,
  start: (folder: string) => Promise<ScriptFunction>,
): Host {
  const root = mkdtempSync(join(tmpdir(), 'groundwork-zips-'));
  let count = 0;
  return {
    close: async () => rmSync(root, { recursive: true }),
    run: async ({ source, ...sample }, times = 1) => {
      count += 1;
      const folder = join(root, String(count));
      unpack(pack(source), folder);
      const { args, config, meta, timeoutMs } = { ...defaults, ...sample };
      const started = await start(folder);
      try {
        return await repeat(times, async () => {
          const response = await started.invoke({ version: 7, args, config, meta, timeoutMs });
          if ('stale' in response) throw new Error('stale');
          return judgeRun(response);
        });
      } finally {
        await started.close();
      }
    },
  };
}

/** The result of a run whose function has ended before its response. */
const ended = {
  executedAtMs: 0,
  durationMs: 0,
  exitCode: null,
  isTimedOut: false,
  isCut: false,
  stdout: '',
  stderr: '',
};

/** Returns a function that is started again after its end, as on Lambda. */
export function startedAgain(start: () => Promise<ScriptFunction>): ScriptFunction {
  let running: ScriptFunction | undefined;
  const close = async () => {
    await running?.close();
    running = undefined;
  };
  return {
    close,
    invoke: async (event) => {
      running ??= await start();
      try {
        return await running.invoke(event);
      } catch {
        await close();
        return ended;
      }
    },
  };
}

/** Returns the zip of a JavaScript with version 7. */
export function packNode(source: string): Uint8Array {
  nodeFiles ??= nodeRuntimeFiles();
  return packScript(nodeFiles, { source, version: 7, sourceName: 'main.js' });
}

let nodeFiles: RuntimeFiles | undefined;

function openNodeZips(node: string): Host {
  return openZips(packNode, (folder) =>
    startLambda<ScriptEvent, FunctionResult>(node, join(folder, 'index.mjs'), {
      AWS_SECRET_ACCESS_KEY: secret,
      GROUNDWORK_TEST_SECRET: secret,
      TMPDIR: dirname(folder),
    }),
  );
}

/** Writes the files of a zip. */
export function unpack(zip: Uint8Array, folder: string): void {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}
