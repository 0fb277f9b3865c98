import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { messageOf } from '../../values/caught.ts';
import { watchMemory } from './memory.ts';

/** Command to start a process that runs foreign code. */
export interface RunnerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Folder in which it starts and may write files. */
  readonly folder: string;
  /** Resident memory of all its processes together, in bytes, beyond which a run is ended. */
  readonly maxResidentBytes?: number;
  /**
   * Bytes of all files in `folder` together beyond which a run is ended; absent if the folder itself is limited in
   * size.
   */
  readonly maxFolderBytes?: number;
  /** Extra milliseconds for a process that ends runs at their time limit itself; absent if it does not. */
  readonly graceMs?: number;
}

/** The ends of a process's descriptors 1, 2 and 3. */
export interface Streams {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly control: Duplex;
}

/** The end of a process. */
export interface ProcessEnd {
  /** Null when a signal ended it, or when it was never started. */
  readonly exitCode: number | null;
  /** Reason why it was never started. */
  readonly reason?: string;
}

/** Limits that a run can exceed: one of its command, or (`priority`) its share of the CPU, which does not end it. */
export type Exceeded = 'memory' | 'disk' | 'priority';

/** A process that runs foreign code, as its supervisor sees it. */
export interface RunnerProcess {
  /** Resolves when it has started; undefined when it could not be started. */
  readonly streams: Promise<Streams | undefined>;
  /** Resolves when it has ended. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends it and all its child processes, at once and at any time. */
  kill(): void;
  /**
   * Watches the limits of its command from now on; ends it when it exceeds memory or disk.
   *
   * @returns a function that stops watching
   */
  watch(onExceeded: (limit: Exceeded) => void): () => void;
}

/** Starts a process. */
export type StartProcess = (command: RunnerCommand) => RunnerProcess;

/** Starts a child of this process: for a supervisor that has no secrets and runs one process at a time. */
export function startDirectly(command: RunnerCommand): RunnerProcess {
  const { program, args, variables, folder, maxResidentBytes } = command;
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const kill = () => void child.kill('SIGKILL');
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
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    return { exitCode };
  } catch (error) {
    return { exitCode: null, reason: messageOf(error) };
  }
}
