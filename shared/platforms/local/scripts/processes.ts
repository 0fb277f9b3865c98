import type { QueueState } from '../../../ports/limits/request-queue.ts';
import type { Log } from '../../../ports/ports.ts';
import {
  type CertificateWorker,
  startCertificateWorker,
} from '../../../runtimes/certificates/reader.ts';
import type { StartProcess } from '../../../runtimes/process.ts';
import { openPool, type Pool } from '../../../runtimes/process-pool.ts';
import { type Runner, startRunner } from '../../../runtimes/runner-process.ts';
import { startTemplateWorker, type TemplateWorker } from '../../../runtimes/templates/renderer.ts';
import { stackOf } from '../../../values/caught.ts';
import { neverRejects } from '../../../values/promises/in-background.ts';
import { type Launcher, startLauncher } from '../launcher/launcher.ts';
import { availableBytes, planMemory } from '../memory.ts';
import { childProgram } from './commands/child-program.ts';
import { prepareNode } from './commands/node-command.ts';
import { type Machine, probeMachine } from './machine.ts';
import type { PreparedCommand } from './sandbox/enclosure.ts';
import { type FolderRemoval, openFolderRemoval } from './sandbox/folder-removal.ts';
import type { IsolationOptions } from './sandbox/isolation.ts';
import {
  limitsFor,
  openScheduler,
  type ProcessLimits,
  type Scheduler,
  slotsFor,
} from './scheduler.ts';

/** Options of {@link openProcesses}; all have defaults. */
export interface ProcessesOptions {
  /** Options of the isolation. By default, everything that the machine supports is used. */
  readonly isolation?: IsolationOptions;
  /** Number of processes that run jobs at a time; depends on `childBytes` by default. */
  readonly slots?: number;
  /** Memory of all processes together; that of the machine or its container, less the server's, by default. */
  readonly childBytes?: number;
  /** Milliseconds after which an idle process is killed; one minute by default. */
  readonly idleMs?: number;
  /** The data folder, which is hidden from scripts and contains a cache. A temporary folder by default. */
  readonly folder?: string | undefined;
  /** Starts the processes; a new launcher by default, from the first process on. */
  readonly launcher?: Launcher | undefined;
  readonly log?: Log;
}

/** All child processes that run jobs of tenants: one scheduler for fair shares, and one pool that keeps them. */
export interface Processes {
  /** Probes the machine once. Rejects with StartError when the network must be denied and cannot be. */
  open(): Promise<OpenProcesses>;
  /** Number of running processes. */
  size(): number;
  /** Returns the state of the queue for slots; undefined until the machine was probed. */
  queue(): QueueState | undefined;
  /** Resolves when the launcher has ended unexpectedly, after which no process can be started. */
  readonly lost: Promise<void>;
  /** Kills all processes. */
  close(): Promise<void>;
}

/** The machine, and the scheduler and pool that are opened after the probe. */
export interface OpenProcesses extends Machine {
  readonly scheduler: Scheduler;
  readonly pool: Pool<WorkerTypes>;
  /** Starts a process beside those of the pool. */
  readonly start: StartProcess;
}

/** The type of process for each runtime. */
export type WorkerTypes = {
  readonly node: Runner;
  readonly python: Runner;
  readonly template: TemplateWorker;
  readonly certificate: CertificateWorker;
};

/** Resident memory of a process that runs a small script, measured on Node 20 to 26 and CPython 3.9 to 3.14. */
const processBytes = 64 * 2 ** 20;
const pyodideBytes = 220 * 2 ** 20;
const closeMs = 4_000; // time for the ends of all processes, whose folders are deleted then
const removalMs = 1_500; // longest wait of `close` for folders that are hard to delete; the launcher deletes the rest

/** Opens the child processes of this machine. Probes it on first use; starts processes for jobs only. */
export function openProcesses(options: ProcessesOptions = {}): Processes {
  const { isolation = { network: true }, idleMs = 60_000, folder, log } = options;
  const { childBytes = planMemory(availableBytes()).childBytes } = options;
  const launcher = options.launcher ?? startOnUse();
  const removal = openFolderRemoval(launcher.start, log);
  let opened: Promise<OpenProcesses> | undefined;
  let pool: Pool<WorkerTypes> | undefined;
  let scheduler: Scheduler | undefined;

  async function probe(): Promise<OpenProcesses> {
    removal.begin(); // what killed servers have left
    const machine = await probeMachine(isolation, folder);
    const own = slotsFor(childBytes, machine.python.isPyodide ? pyodideBytes : processBytes);
    const { slots, keepsSpares }: ProcessLimits =
      options.slots === undefined ? own : { slots: options.slots, keepsSpares: true };
    launcher.limitMemory(childBytes);
    pool = openPool<WorkerTypes>({
      start: {
        node: () => startPrepared(launcher, removal, prepareNode(machine.isolation)),
        python: () => startPrepared(launcher, removal, machine.python.prepare(childBytes)),
        template: async () => startTemplateWorker(await childProgram('templates'), launcher.start),
        certificate: async () =>
          startCertificateWorker(await childProgram('certificates'), launcher.start),
      },
      cap: slots,
      keepsSpares,
      idleMs,
      patient: machine.python.isPyodide ? ['node'] : ['node', 'python'], // Pyodide runs one script only
      onFailedSpare: (error) =>
        log?.({
          level: 'error',
          message: 'a spare process could not be started',
          cause: stackOf(error),
        }),
    });
    scheduler = openScheduler(limitsFor(slots));
    return { ...machine, pool, scheduler, start: launcher.start };
  }

  return {
    open: () => {
      opened ??= probe();
      return opened;
    },
    size: () => pool?.size() ?? 0,
    queue: () => scheduler?.queue,
    lost: launcher.lost,
    close: async () => {
      const alive = setTimeout(() => {}, closeMs); // the channel to the launcher keeps no process alive
      await pool?.close();
      launcher.close(await removal.idle(removalMs));
      clearTimeout(alive);
      await opened?.then(
        ({ python }) => python.close(),
        () => {}, // `open` rejected with the error
      );
    },
  };
}

/** Returns a launcher that starts with its first process: many tests and tools never start one. */
function startOnUse(): Launcher {
  let launcher: Launcher | undefined;
  let lose = () => {};
  const lost = new Promise<void>((resolve) => {
    lose = resolve;
  });
  let maxBytes: number | undefined;
  const started = () => {
    if (launcher === undefined) {
      launcher = startLauncher();
      if (maxBytes !== undefined) launcher.limitMemory(maxBytes);
      neverRejects(launcher.lost.then(lose));
    }
    return launcher;
  };
  return {
    start: (command) => started().start(command),
    limitMemory: (bytes) => {
      maxBytes = bytes;
      launcher?.limitMemory(bytes);
    },
    lost,
    close: (left) => launcher?.close(left),
  };
}

async function startPrepared(
  launcher: Launcher,
  removal: FolderRemoval,
  prepared: Promise<PreparedCommand>,
): Promise<Runner> {
  const { command, dispose } = await prepared;
  const runner = startRunner(command, launcher.start);
  removal.afterEnd(runner, dispose);
  return runner;
}
