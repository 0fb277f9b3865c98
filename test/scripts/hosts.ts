import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { nodeRuntimeFiles } from '../../lib/script-runtime.ts';
import type { Level } from '../../shared/platform/local/scripts/sandbox/level.ts';
import { type LocalScripts, openScripts } from '../../shared/platform/local/scripts/scripts.ts';
import type { FunctionResult, ScriptEvent } from '../../shared/platform/runtimes/node/lambda.ts';
import { packScript } from '../../shared/platform/runtimes/package.ts';
import { judgeRun, type ScriptResult } from '../../shared/scripts/rules/script-result.ts';
import type { ScriptRun } from '../../shared/scripts/script-runner.ts';
import { type Lambda, startLambda } from '../aws-emulator/lambda.ts';
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
  readonly name: string;
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

/** Returns functions that open the hosts of this machine: its sandbox at each supported level, and the zip. */
export async function hosts(): Promise<ReadonlyMap<string, () => Promise<Host>>> {
  const zips: [string, () => Promise<Host>][] = [
    ['the zip', async () => openZips('the zip', process.execPath)],
  ];
  const { GROUNDWORK_TEST_NODE: lambdaNode } = process.env;
  if (lambdaNode !== undefined) {
    zips.push(["the zip on Lambda's Node", async () => openZips('zip', lambdaNode)]);
  }
  return new Map([
    ...levels.map((level) => [hostNames[level], async () => openLocal(level)] as const),
    ...zips,
  ]);
}

/** Opens a host that runs scripts in this machine's sandbox. */
function openLocal(level: Level): Host {
  process.env.GROUNDWORK_TEST_SECRET = secret;
  const scripts = openScripts({ isolation: { network: true, level }, slots: 3 });
  let script = 0;
  return {
    name: hostNames[level],
    close: () => scripts.close(),
    run: async (sample, times = 1) => {
      script += 1;
      for (let left = times; left > 1; left -= 1) await runLocally(scripts, { ...sample, script });
      return runLocally(scripts, { ...sample, script });
    },
  };
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

/** Opens a host that runs scripts in the zips of their functions, as Lambda does. */
function openZips(name: string, node: string): Host {
  const files = nodeRuntimeFiles();
  const root = mkdtempSync(join(tmpdir(), 'groundwork-zips-'));
  let count = 0;
  return {
    name,
    close: async () => rmSync(root, { recursive: true }),
    run: async (sample, times = 1) => {
      count += 1;
      const folder = join(root, String(count));
      unpack(
        packScript(files, { source: sample.source, version: 7, sourceName: 'main.js' }),
        folder,
      );
      const variables = {
        AWS_SECRET_ACCESS_KEY: secret,
        GROUNDWORK_TEST_SECRET: secret,
        TMPDIR: root,
      };
      const lambda: Lambda<ScriptEvent, FunctionResult> = await startLambda(
        node,
        join(folder, 'index.mjs'),
        variables,
      );
      try {
        for (let left = times; left > 1; left -= 1) await invoke(lambda, sample);
        return await invoke(lambda, sample);
      } finally {
        await lambda.close();
      }
    },
  };
}

async function invoke(lambda: Lambda<ScriptEvent, FunctionResult>, sample: Sample) {
  const { args, config, meta, timeoutMs } = { ...defaults, ...sample };
  const answer = await lambda.invoke({ version: 7, args, config, meta, timeoutMs });
  if ('stale' in answer) throw new Error('stale');
  return judgeRun(answer);
}

/** Writes the files of a zip. */
export function unpack(zip: Uint8Array, folder: string): void {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}
