import { totalmem } from 'node:os';
import { causeOf } from '../../../values/caught.ts';
import type { Log } from '../../ports.ts';
import {
  type CertificateWorker,
  startCertificateWorker,
} from '../../runtimes/certificates/reader.ts';
import { openPool, type Pool } from '../../runtimes/process-pool.ts';
import { type Runner, startRunner } from '../../runtimes/runner-process.ts';
import { startTemplateWorker, type TemplateWorker } from '../../runtimes/templates/renderer.ts';
import { type Launcher, startLauncher } from '../launcher/launcher.ts';
import { childProgram } from './commands/child-program.ts';
import { prepareNode } from './commands/node-command.ts';
import { type Machine, probeMachine } from './machine.ts';
import { type PreparedCommand, removeLeftFolders } from './sandbox/enclosure.ts';
import type { IsolationOptions } from './sandbox/isolation.ts';
import { limitsFor, openScheduler, type Scheduler, slotsFor } from './scheduler.ts';

/** What may be set; all of it has a default. */
export interface ProcessesOptions {
  /** What to look for in this machine; all that it has when absent. */
  readonly isolation?: IsolationOptions;
  /** Work at a time; by the memory of the machine when absent. */
  readonly slots?: number;
  /** Milliseconds for which an idle process stays; a minute when absent. */
  readonly idleMs?: number;
  /** The data folder: no script sees it, and what is made once and lasts goes below. A temporary one when absent. */
  readonly folder?: string | undefined;
  /** Starts the processes; one of its own when absent. */
  readonly launcher?: Launcher | undefined;
  readonly log?: Log;
}

/** All child processes that work for tenants: one scheduler shares them, one pool keeps them warm. */
export interface Processes {
  /** Looks at the machine, once. Rejects with StartError when the network is to be closed and cannot be. */
  open(): Promise<OpenProcesses>;
  /** Processes that there are now. */
  size(): number;
  /** Resolves when the launcher has ended by itself: no process can be started any more. */
  readonly lost: Promise<void>;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** What there is once the machine was looked at. */
export interface OpenProcesses extends Machine {
  readonly scheduler: Scheduler;
  readonly pool: Pool<Members>;
}

/** The kinds of processes. */
export type Members = {
  readonly node: Runner;
  readonly python: Runner;
  readonly template: TemplateWorker;
  readonly certificate: CertificateWorker;
};

const serverBytes = 2 ** 30; // of memory, kept for the server itself
/** Resident memory of a process that runs a small script, measured on Node 20 to 26 and CPython 3.9 to 3.14. */
const processBytes = 64 * 2 ** 20;
const pyodideBytes = 220 * 2 ** 20;

/** Opens the child processes of this machine. It looks at the machine when asked, and starts none before the first work. */
export function openProcesses(options: ProcessesOptions = {}): Processes {
  const { isolation = { network: true }, idleMs = 60_000, folder, log } = options;
  const launcher = options.launcher ?? startLauncher();
  let opened: Promise<OpenProcesses> | undefined;
  let pool: Pool<Members> | undefined;

  async function look(): Promise<OpenProcesses> {
    await removeLeftFolders();
    const machine = await probeMachine(isolation, folder);
    const { slots = slotsOf(machine) } = options;
    pool = openPool<Members>({
      start: {
        node: () => startPrepared(launcher, prepareNode(machine.isolation)),
        python: () => startPrepared(launcher, machine.python.prepare()),
        template: async () => startTemplateWorker(await childProgram('templates'), launcher.start),
        certificate: async () =>
          startCertificateWorker(await childProgram('certificates'), launcher.start),
      },
      cap: slots,
      idleMs,
      onFailedSpare: (error) =>
        log?.({
          level: 'error',
          message: 'a spare process could not be started',
          cause: causeOf(error),
        }),
    });
    return { ...machine, pool, scheduler: openScheduler(limitsFor(slots)) };
  }

  return {
    open: () => {
      opened ??= look();
      return opened;
    },
    size: () => pool?.size() ?? 0,
    lost: launcher.lost,
    close: async () => {
      await pool?.close();
      launcher.close();
      await opened?.then(
        ({ python }) => python.close(),
        () => {}, // whoever has opened it was told
      );
    },
  };
}

async function startPrepared(
  launcher: Launcher,
  prepared: Promise<PreparedCommand>,
): Promise<Runner> {
  const { command, dispose } = await prepared;
  const runner = startRunner(command, launcher.start);
  void runner.ended.then(dispose);
  return runner;
}

/** As many as there is memory for: a script that sleeps takes no core. */
function slotsOf({ python }: Machine): number {
  const limit = process.constrainedMemory(); // of the container; 0 or more than there is where none is set
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return slotsFor(total - serverBytes, python.isPyodide ? pyodideBytes : processBytes);
}
