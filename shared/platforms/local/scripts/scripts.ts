import {
  enterSlot,
  type ScriptOutcome,
  type ScriptRun,
  type ScriptRunner,
} from '../../../ports/script-runner.ts';
import type { Pool } from '../../../runtimes/process-pool.ts';
import type { Runner, RunnerInput } from '../../../runtimes/runner-process.ts';
import { judgeRun } from '../../../scripts/rules/script-result.ts';
import { writeExactJson } from '../../../values/json/exact-number.ts';
import { type FirstTurns, openFirstTurns } from './first-turns.ts';
import { describeMachine, obstacleFor, selfTest } from './machine.ts';
import {
  openProcesses,
  type Processes,
  type ProcessesOptions,
  type WorkerTypes,
} from './processes.ts';
import { canOpenSocket } from './sandbox/isolation.ts';
import type { Level } from './sandbox/level.ts';

/** Scripts in sandboxed processes of this machine. */
export interface LocalScripts extends ScriptRunner {
  /**
   * Describes the isolation and the access of scripts in one line for the operator.
   *
   * @throws StartError when the network must be denied and cannot be
   */
  describe(): Promise<string>;
  /** Returns the level of the sandbox. */
  isolation(): Promise<Level>;
  /** Runs a script of each runtime and returns the results in one line for the operator. */
  selfTest(): Promise<string>;
  /** Checks whether a script can open a Unix socket in a folder, which is given by its real path. */
  canOpenSocket(folder: string): Promise<boolean>;
  /** Number of running processes. */
  size(): number;
  /** Kills all processes. Running scripts fail, later ones are blocked. */
  close(): Promise<void>;
}

/** Options of {@link openScripts}; all have defaults. */
export interface LocalScriptsOptions extends ProcessesOptions {
  /** Processes shared with other jobs. By default, separate ones are opened with the other options. */
  readonly processes?: Processes;
}

/** Opens the script runner of this machine. Probes the machine on first use; starts processes for runs only. */
export function openScripts(options: LocalScriptsOptions = {}): LocalScripts {
  const processes = options.processes ?? openProcesses(options);
  const turns = openFirstTurns();
  let isClosed = false;

  const run: ScriptRunner['run'] = async (run) => {
    if (isClosed) return { status: 'blocked' };
    const begunMs = performance.now();
    const waitedMs = () => performance.now() - begunMs;
    const { scheduler, pool, ...machine } = await processes.open();
    const obstacle = obstacleFor(machine, run.runtime);
    if (obstacle !== undefined) return notRun(obstacle);
    const input = describeInput(run);
    const bytes = input.args.length + input.config.length + input.meta.length;
    run.onProgress?.('queued');
    const release = await enterSlot({ ...run, waitedMs }, () =>
      scheduler.enter({ kind: 'script', bytes, ...run }),
    );
    if (release === 'full') return { status: 'blocked' };
    if (release === 'late') return { status: 'queue_timeout' };
    try {
      return isClosed ? { status: 'blocked' } : await execute({ pool, turns }, run, input);
    } finally {
      release();
    }
  };

  return {
    describe: async () => describeMachine(await processes.open()),
    canOpenSocket: async (at) => canOpenSocket((await processes.open()).isolation, at),
    selfTest: async () => selfTest(run, await processes.open()),
    size: () => processes.size(),
    run,
    settled: () => Promise.resolve(),
    isolation: async () => (await processes.open()).isolation.level,
    close: async () => {
      isClosed = true;
      await processes.close();
    },
  };
}

type Input = Omit<RunnerInput, 'source'>;

function describeInput({ args, config, meta, timeoutMs }: ScriptRun): Input {
  return {
    args: writeExactJson(args),
    config: JSON.stringify(config),
    meta: JSON.stringify(meta),
    timeoutMs,
  };
}

async function execute(
  { pool, turns }: { readonly pool: Pool<WorkerTypes>; readonly turns: FirstTurns },
  run: ScriptRun,
  input: Input,
): Promise<ScriptOutcome> {
  const { instance, owner, script, version, runtime } = run;
  const endTurn = await turns.take({ owner: String(owner), instance: String(instance) });
  try {
    const key = `${instance}/${script}/${version}`;
    // read before a process starts: otherwise a script that is edited often would change during each start
    const text = pool.has(key) ? undefined : await run.source();
    const { worker, isWarm, release } = await pool.take(key, runtime);
    try {
      const source = isWarm ? '' : (text ?? (await readSource(run, worker)));
      run.onProgress?.('started');
      const raw = await worker.run({ source, ...input });
      const { executedAtMs, durationMs } = raw;
      return { executedAtMs, durationMs, ...judgeRun(raw) };
    } finally {
      release();
    }
  } finally {
    endTurn();
  }
}

/** Reads the source of a run. On failure, kills the process that was taken for it. */
async function readSource({ source }: ScriptRun, worker: Pick<Runner, 'kill'>): Promise<string> {
  try {
    return await source();
  } catch (error) {
    worker.kill();
    throw error;
  }
}

function notRun(stderr: string): ScriptOutcome {
  return { status: 'failure', executedAtMs: Date.now(), durationMs: 0, stdout: '', stderr };
}
