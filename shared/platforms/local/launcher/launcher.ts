import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { maxThreads } from '../../../runtimes/limits.ts';
import type {
  Exceeded,
  ProcessEnd,
  RunLimit,
  RunnerCommand,
  RunnerProcess,
  StartProcess,
  Streams,
} from '../../../runtimes/process.ts';
import { codeOf, messageOf } from '../../../values/caught.ts';

/** The process that starts others for this one; see launcher.cjs. */
export interface Launcher {
  /** Starts a process through the launcher. */
  readonly start: StartProcess;
  /**
   * Limits the memory of all processes together. Above it, the launcher kills the watched process that uses most.
   *
   * There is no limit at the start.
   */
  limitMemory(bytes: number): void;
  /** Resolves when the launcher has ended although it was not closed. All its processes are killed then. */
  readonly lost: Promise<void>;
  /**
   * Ends the launcher and all its processes.
   *
   * @param left folders of runs that it deletes before it ends
   */
  close(left?: readonly string[]): void;
}

const program = fileURLToPath(new URL('launcher.cjs', import.meta.url));

/** Starts a launcher for tests and tools. The server's own is started before everything else, by `bin/start.mjs`. */
export function startLauncher(): Launcher {
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    env: {},
    detached: true,
  });
  return openLauncher(child);
}

type Message =
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'socket'; readonly id: number; readonly index: 1 | 2 | 3 }
  | { readonly type: 'exceeded'; readonly id: number; readonly limit: RunLimit }
  | { readonly type: 'lowered'; readonly id: number }
  | ({ readonly type: 'ended'; readonly id: number } & ProcessEnd);

/** A requested process. */
interface Entry {
  pid: number | undefined;
  readonly sockets: Socket[];
  onStreams(streams: Streams | undefined): void;
  onEnded(end: ProcessEnd): void;
  onExceeded(limit: Exceeded): void;
}

interface State {
  readonly child: ChildProcess;
  readonly entries: Map<number, Entry>;
  lastId: number;
}

/** Opens the launcher that runs as `child`, with a channel to this process. */
export function openLauncher(child: ChildProcess): Launcher {
  const state: State = { child, entries: new Map(), lastId: 0 };
  let isClosed = false;
  child.unref(); // code that waits for a process has a timer
  child.channel?.unref();
  if (child.stdin instanceof Socket) child.stdin.unref().on('error', () => {}); // it has ended: `exit` follows
  child.on('error', () => {}); // it could not be started or reached: `exit` or `disconnect` follows
  child.on('message', (message, socket) => {
    receive(state, message as Message, socket as Socket | undefined); // it comes from the project's own program
  });
  const lost = new Promise<void>((resolve) => {
    const end = () => {
      for (const entry of state.entries.values()) abandon(entry);
      state.entries.clear();
      if (!isClosed) resolve();
    };
    child.once('exit', end);
    child.once('disconnect', end);
  });
  return {
    start: (command) => start(state, command),
    limitMemory: (bytes) => tell(state, { type: 'limit', bytes }),
    lost,
    close: (left = []) => {
      isClosed = true;
      if (left.length > 0) tell(state, { type: 'remove', folders: left });
      if (child.connected) child.disconnect();
    },
  };
}

function start(state: State, command: RunnerCommand): RunnerProcess {
  state.lastId += 1;
  const id = state.lastId;
  const { program, args, variables, folder, maxResidentBytes, maxFolderBytes } = command;
  const { entry, streams, ended } = makeEntry();
  if (state.child.connected) state.entries.set(id, entry);
  else abandon(entry);
  tell(state, { type: 'start', id, program, args, variables, folder });
  return {
    streams,
    ended,
    kill: () => tell(state, { type: 'kill', id }),
    watch: (onExceeded) => {
      const bytes = { residentBytes: maxResidentBytes, folderBytes: maxFolderBytes };
      const limits = { ...bytes, folder, maxThreads };
      entry.onExceeded = onExceeded;
      tell(state, { type: 'watch', id, limits });
      return () => {
        entry.onExceeded = () => {};
        tell(state, { type: 'unwatch', id });
      };
    },
  };
}

function tell({ child }: State, message: object): void {
  if (child.connected) child.send(message, () => {}); // an error: `disconnect` follows
}

function makeEntry() {
  const entry: Entry = {
    pid: undefined,
    sockets: [],
    onStreams: () => {},
    onEnded: () => {},
    onExceeded: () => {},
  };
  const streams = new Promise<Streams | undefined>((resolve) => {
    entry.onStreams = resolve;
  });
  const ended = new Promise<ProcessEnd>((resolve) => {
    entry.onEnded = resolve;
  });
  return { entry, streams, ended };
}

function receive({ entries }: State, message: Message, socket: Socket | undefined): void {
  const entry = entries.get(message.id);
  if (entry === undefined) return;
  switch (message.type) {
    case 'started':
      entry.pid = message.pid;
      break;
    case 'socket':
      receiveSocket(entry, socket);
      break;
    case 'exceeded':
      entry.onExceeded(message.limit);
      break;
    case 'lowered':
      entry.onExceeded('priority');
      break;
    case 'ended':
      entries.delete(message.id);
      entry.onStreams(undefined); // no effect once the streams have arrived
      entry.onEnded(message);
  }
}

/** Receives the sockets of a process, in the order of their descriptors. */
function receiveSocket(entry: Entry, socket: Socket | undefined): void {
  if (socket === undefined) return; // it was closed on the way: the process has ended
  entry.sockets.push(socket);
  const [stdout, stderr, control] = entry.sockets;
  if (stdout && stderr && control) entry.onStreams({ stdout, stderr, control });
}

/** Ends a process whose launcher is gone. */
function abandon({ pid, onStreams, onEnded }: Entry): void {
  if (pid !== undefined) killGroup(pid);
  onStreams(undefined);
  onEnded({ exitCode: null, reason: 'the launcher of processes has ended' });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // the server ends, because its launcher has: an error must not keep it from that
    if (codeOf(error) !== 'ESRCH') process.emitWarning(`process group ${pid}: ${messageOf(error)}`);
  }
}
