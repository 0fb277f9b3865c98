import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { messageOf } from '../values/caught.ts';
import { watchMemory } from './memory.ts';

/** Command that starts a process for untrusted code. */
export interface RunnerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Working directory, in which the process may write files. */
  readonly folder: string;
  /** Resident memory of all its processes together, in bytes, above which a run is killed. */
  readonly maxResidentBytes?: number;
  /**
   * Bytes of all files in `folder` together above which a run is killed; absent if the folder itself has a size limit.
   */
  readonly maxFolderBytes?: number;
  /** Extra milliseconds for a process that ends its runs at the time limit itself; absent for others. */
  readonly graceMs?: number;
}

/** The supervisor's ends of descriptors 1, 2 and 3 of a process. */
export interface Streams {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly control: Duplex;
}

/** The exit of a process. */
export interface ProcessEnd {
  /** Null when a signal killed the process, or when it could not be started. */
  readonly exitCode: number | null;
  /** The signal that killed the process. */
  readonly signal?: NodeJS.Signals | null;
  /** Reason why the process could not be started. */
  readonly reason?: string;
}

/** Limits whose excess ends a run. `total memory` is that of all processes, of which the run uses most. */
export type RunLimit = 'memory' | 'total memory' | 'disk' | 'threads';

/** Limits that a run can exceed. `priority` is its share of the CPU, and does not end the run. */
export type Exceeded = RunLimit | 'priority';

/** A supervisor's handle of a process that runs untrusted code. */
export interface RunnerProcess {
  /** Resolves when the process has started; undefined when it could not be started. */
  readonly streams: Promise<Streams | undefined>;
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the process and all its child processes, at any time. */
  kill(): void;
  /**
   * Watches the limits of the command; kills the process when it exceeds a {@link RunLimit}.
   *
   * @returns a function that stops watching
   */
  watch(onExceeded: (limit: Exceeded) => void): () => void;
}

/** Starts a process. */
export type StartProcess = (command: RunnerCommand) => RunnerProcess;

/** Starts a child process, for a supervisor that has no secrets and runs one process at a time. */
export function startDirectly(command: RunnerCommand): RunnerProcess {
  const { program, args, variables, folder, maxResidentBytes } = command;
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const kill = () => {
    child.kill('SIGKILL');
  };
  const streams: Streams = {
    stdout: child.stdio[1] as Readable, // requested by the second to fourth 'pipe'
    stderr: child.stdio[2] as Readable,
    control: child.stdio[3] as Duplex,
  };
  return {
    streams: Promise.resolve(child.pid === undefined ? undefined : streams),
    ended: endOf(child),
    kill,
    watch: (onExceeded) => {
      if (maxResidentBytes === undefined) return () => {};
      return watchMemory(child.pid, maxResidentBytes, () => {
        kill();
        onExceeded('memory');
      });
    },
  };
}

async function endOf(child: ChildProcess): Promise<ProcessEnd> {
  try {
    const [exitCode, signal] = (await once(child, 'exit')) as [
      number | null,
      NodeJS.Signals | null,
    ];
    return { exitCode, signal };
  } catch (error) {
    return { exitCode: null, reason: messageOf(error) };
  }
}
