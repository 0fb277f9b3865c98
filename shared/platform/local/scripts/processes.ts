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

/** Options of {@link openProcesses}; all have defaults. */
export interface ProcessesOptions {
  /** Options of the isolation; all that the machine supports when absent. */
  readonly isolation?: IsolationOptions;
  /** Processes that work at a time; by the memory of the machine when absent. */
  readonly slots?: number;
  /** Milliseconds until an idle process ends; a minute when absent. */
  readonly idleMs?: number;
  /** The data folder: hidden from scripts, with a cache of files below. A temporary one when absent. */
  readonly folder?: string | undefined;
  /** Starts the processes; a new launcher when absent. */
  readonly launcher?: Launcher | undefined;
  readonly log?: Log;
}

/** All child processes that work for tenants: one scheduler for fair shares, one pool that keeps them warm. */
export interface Processes {
  /** Probes the machine, once. Rejects with StartError when the network must be closed and cannot be. */
  open(): Promise<OpenProcesses>;
  /** Number of running processes. */
  size(): number;
  /** Resolves when the launcher has ended unexpectedly: no process can be started any more. */
  readonly lost: Promise<void>;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** The machine, with the scheduler and the pool that are opened after probing it. */
export interface OpenProcesses extends Machine {
  readonly scheduler: Scheduler;
  readonly pool: Pool<Members>;
}

/** Types of processes. */
export type Members = {
  readonly node: Runner;
  readonly python: Runner;
  readonly template: TemplateWorker;
  readonly certificate: CertificateWorker;
};

const serverBytes = 2 ** 30; // of memory, reserved for the server itself
/** Resident memory of a process that runs a small script, measured on Node 20 to 26 and CPython 3.9 to 3.14. */
const processBytes = 64 * 2 ** 20;
const pyodideBytes = 220 * 2 ** 20;

/** Opens the child processes of this machine; probes it on first use, and starts none before the first work. */
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
        () => {}, // callers of `open` got the error
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

/** Returns as many slots as there is memory for: a script that sleeps uses no core. */
function slotsOf({ python }: Machine): number {
  const limit = process.constrainedMemory(); // of the container; 0 or more than the machine has where none is set
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return slotsFor(total - serverBytes, python.isPyodide ? pyodideBytes : processBytes);
}
