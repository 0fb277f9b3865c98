import type { Server } from 'node:http';
import { codeOf } from '../../../values/caught.ts';
import type { Connections } from './connections.ts';
import type { Endings } from './endings.ts';
import type { ProxyCheck } from './proxies.ts';
import { StartError } from './start-error.ts';

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly proxyGate: ProxyCheck;
}

/**
 * Lets a server listen, also at the socket of its proxies.
 *
 * @throws StartError when the address cannot be listened on
 */
export async function listen(
  server: Server,
  { host, port, proxyGate }: ListenAddress,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toStartError(error, host, port)));
    server.listen(port, host, resolve);
  });
  try {
    await proxyGate.listen((socket) => server.emit('connection', socket)); // served like all others
  } catch (error) {
    server.close();
    throw error;
  }
}

function toStartError(error: Error, host: string, port: number): Error {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(`port ${port} of ${host} is taken by another program`, {
        cause: error,
      });
    case 'EACCES':
      return new StartError(`port ${port} needs more rights than we have`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartError(`${host} is no address of this machine`, { cause: error });
    default:
      return error;
  }
}

/** A server that serves requests, as far as its end is concerned. */
export interface Serving {
  readonly proxyGate: Pick<ProxyCheck, 'close'>;
  readonly connections: Pick<Connections, 'end'>;
  readonly endings: Endings;
  /** Longest wait for running requests; 4,000 when absent. */
  readonly graceMs?: number;
  /** Number of running requests. */
  active: number;
  stopping: boolean;
  /** Called when no request is running any more. */
  idle: () => void;
}

/** Accepts no more requests, finishes running ones, and resolves after at most `graceMs`. */
export async function stop(server: Server, running: Serving): Promise<void> {
  running.stopping = true;
  running.endings.endAll();
  running.connections.end();
  const closed = Promise.all([
    running.proxyGate.close(),
    new Promise<void>((resolve) => server.close(() => resolve())),
  ]);
  const finished = new Promise<void>((resolve) => {
    running.idle = resolve;
    if (running.active === 0) resolve();
  });
  let timer: NodeJS.Timeout | undefined;
  const outOfPatience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, running.graceMs ?? 4000);
  });
  await Promise.race([Promise.all([closed, finished]), outOfPatience]);
  clearTimeout(timer);
  server.closeAllConnections();
}
