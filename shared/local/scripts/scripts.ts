import { realpath } from 'node:fs/promises';
import { cpus } from 'node:os';
import { judgeRun } from '../../domain/script-result.ts';
import type { Runner } from '../../runtimes/runner-process.ts';
import { instanceLimits } from '../../services/script-places.ts';
import type { ScriptOutcome, ScriptRun, ScriptRunner } from '../../services/script-runner.ts';
import {
  canOpenSocket,
  describeIsolation,
  type Isolation,
  type IsolationOptions,
  probeIsolation,
} from './isolation.ts';
import { prepareNode } from './node-command.ts';
import { openPlaces } from './places.ts';
import { openPool, type Pool, type Prepare } from './pool.ts';
import { howToGetPython, openPython, type Python } from './python.ts';

/** Scripts in sandboxed processes of this machine. */
export interface LocalScripts extends ScriptRunner {
  /**
   * One line for the operator: what holds scripts, and what they can reach.
   *
   * @throws StartError when the network is to be closed and cannot be
   */
  describe(): Promise<string>;
  /** Tells whether a script can open a Unix socket in a folder; its path is real. */
  canOpenSocket(folder: string): Promise<boolean>;
  /** Processes that there are now. */
  size(): number;
  /** Ends all processes; runs under way end as failures, later ones are blocked. */
  close(): Promise<void>;
}

/** What may be set; all of it has a default. */
export interface LocalScriptsOptions {
  /** What to look for in this machine; all that it has when absent. */
  readonly isolation?: IsolationOptions;
  /** Most processes at a time; by the number of cores when absent. */
  readonly cap?: number;
  /** How long an idle process stays; a minute when absent. */
  readonly idleMs?: number;
  /** The data folder: no script sees it, and what is made once and lasts goes below. A temporary one when absent. */
  readonly folder?: string;
}

const limits = {
  inInstance: instanceLimits.running,
  waitingInInstance: instanceLimits.waiting,
  waitingInAll: 1_000,
};
const defaultCap = Math.max(4, 2 * cpus().length);

/** Opens the runner of scripts on this machine. It looks at the machine when asked, and starts processes for runs only. */
export function openScripts(options: LocalScriptsOptions = {}): LocalScripts {
  const { isolation = { network: true }, cap = defaultCap, idleMs = 60_000, folder } = options;
  let probed: Promise<Machine> | undefined;
  const probe = () => {
    probed ??= probeMachine(isolation, folder);
    return probed;
  };
  const prepare: Prepare = async (runtime) => {
    const { isolation, python } = await probe();
    return runtime === 'node' ? prepareNode(isolation) : python.prepare();
  };
  const pool = openPool({ prepare, cap, idleMs });
  const places = openPlaces({ ...limits, inAll: cap });
  let isClosed = false;

  return {
    describe: async () => {
      const machine = await probe();
      return `${describeIsolation(machine.isolation)}; ${machine.python.description}`;
    },
    canOpenSocket: async (at) => canOpenSocket((await probe()).isolation, at),
    size: () => pool.size(),
    run: async (run) => {
      if (run.runtime === 'python' && !(await probe()).python.isThere) return noPython();
      const leave = isClosed ? 'full' : await places.enter(run);
      if (leave === 'full') return { status: 'blocked' };
      if (leave === 'late') return { status: 'queue_timeout' };
      try {
        return isClosed ? { status: 'blocked' } : await execute(pool, run, () => isClosed);
      } finally {
        leave();
      }
    },
    settled: () => Promise.resolve(),
    close: async () => {
      isClosed = true;
      await pool.close();
      await probed?.then(
        ({ python }) => python.close(),
        () => {}, // who has asked was told
      );
    },
  };
}

/** What this machine runs scripts with. */
interface Machine {
  readonly isolation: Isolation;
  readonly python: Python;
}

async function probeMachine(options: IsolationOptions, folder?: string): Promise<Machine> {
  const isolation = await probeIsolation(options, folder && (await realpath(folder)));
  return { isolation, python: await openPython(isolation, options, folder) };
}

async function execute(
  pool: Pool,
  run: ScriptRun,
  isClosed: () => boolean,
): Promise<ScriptOutcome> {
  const { instance, script, version, runtime, args, config, meta, timeoutMs } = run;
  const { runner, isWarm, release } = await pool.take(`${instance}/${script}/${version}`, runtime);
  try {
    const source = isWarm ? '' : await readSource(run, runner);
    if (isClosed()) return { status: 'blocked' };
    if (!runner.isReusable()) throw new Error('the process for a script could not be started');
    const raw = await runner.run({ source, args, config, meta, timeoutMs });
    const { executedAtMs, durationMs } = raw;
    return { ...judgeRun(raw), executedAtMs, durationMs };
  } finally {
    release();
  }
}

/** A process that was taken for a script and does not get its source is of no use. */
async function readSource({ source }: ScriptRun, runner: Pick<Runner, 'kill'>): Promise<string> {
  try {
    return await source();
  } catch (error) {
    runner.kill();
    throw error;
  }
}

function noPython(): ScriptOutcome {
  const stderr = `There is no Python for scripts on this machine. ${howToGetPython}`;
  return { status: 'failure', executedAtMs: Date.now(), durationMs: 0, stdout: '', stderr };
}
