import { createHash, timingSafeEqual } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { proxySecretHeader } from '../../../ports/proxy-header.ts';
import { codeOf } from '../../../values/caught.ts';
import { maxSocketPath, removeLeftover } from '../files/folder-lock.ts';
import { StartError } from './start-error.ts';

/** Trusted proxies, and how they are distinguished from other peers. */
export interface Proxies {
  /** Number of proxies that a request passes, each of which adds to `X-Forwarded-For`. */
  readonly count: number;
  /** Path of a Unix socket that they connect to. */
  readonly socket: string | undefined;
  /** Secret that they send in {@link proxySecretHeader}; over the socket as well. */
  readonly secret: string | undefined;
}

/**
 * Reads the proxy settings of an operator.
 *
 * @param count 1 when undefined and there are any
 * @returns undefined when there are none
 * @throws StartError when any client could pass for a proxy
 */
export function readProxies({
  count,
  socket,
  secret,
}: Omit<Proxies, 'count'> & { readonly count: number | undefined }): Proxies | undefined {
  if (socket !== undefined || secret !== undefined) return { count: count ?? 1, socket, secret };
  if (count === undefined || count === 0) return undefined;
  throw new StartError(
    'GROUNDWORK_PROXIES needs --proxy-socket or GROUNDWORK_PROXY_SECRET: without one of them, whoever connects to ' +
      'the port could say to come from any address',
  );
}

/**
 * Checks that scripts cannot pass for a proxy: they run on this machine, as the server's user.
 *
 * @param canOpen checks whether a script can open a socket at a path
 * @throws StartError when they could open the socket, and no secret would distinguish them
 */
export async function checkProxySocket(
  proxies: Proxies | undefined,
  canOpen: (path: string) => Promise<boolean>,
): Promise<void> {
  if (proxies?.socket === undefined || proxies.secret !== undefined) return;
  const folder = folderOf(proxies.socket);
  if (!(await canOpen(folder))) return;
  throw new StartError(
    `scripts could open the socket ${proxies.socket}: they are kept from it where bubblewrap works and the socket is ` +
      'not among system files; or set GROUNDWORK_PROXY_SECRET as well',
  );
}

function folderOf(socket: string): string {
  try {
    return realpathSync(dirname(socket));
  } catch (error) {
    throw new StartError(`there is no folder for the socket ${socket}`, { cause: error });
  }
}

/** Distinguishes requests of proxies from others. */
export interface ProxyCheck {
  /** Returns how many proxies a request verifiably passed; 0 for any other request. */
  countOf(message: IncomingMessage): number;
  /**
   * Listens on the Unix socket, if one is configured.
   *
   * @param onSocket receives the connections to it
   * @throws StartError when it cannot be listened on
   */
  listen(onSocket: (socket: Socket) => void): Promise<void>;
  /** Accepts no more connections of proxies; resolves when all are closed. */
  close(): Promise<void>;
}

/** Creates the check that distinguishes requests of proxies from others; without proxies, all are others. */
export function createProxyCheck(
  { count, secret, socket: path }: Proxies = { count: 0, socket: undefined, secret: undefined },
): ProxyCheck {
  const fromSocket = new WeakSet<Socket>();
  const expected = secret === undefined ? undefined : digest(secret);
  let server: Server | undefined;
  const isProved = ({ socket, headers }: IncomingMessage) => {
    if (expected === undefined) return fromSocket.has(socket);
    const sent = headers[proxySecretHeader];
    return typeof sent === 'string' && timingSafeEqual(digest(sent), expected);
  };
  return {
    countOf: (message) => (isProved(message) ? count : 0),
    listen: async (onSocket) => {
      if (path === undefined) return;
      server = await listen(path, (socket) => {
        fromSocket.add(socket);
        onSocket(socket);
      });
    },
    close: () =>
      new Promise((resolve) => {
        if (server === undefined) resolve();
        else server.close(() => resolve());
      }),
  };
}

/** Returns a digest: of one length for every text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function listen(path: string, onSocket: (socket: Socket) => void): Promise<Server> {
  if (Buffer.byteLength(path) > maxSocketPath) {
    throw new StartError(`the path of the socket ${path} is too long`);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isSocket()) throw new StartError(`${path} is no socket`);
  if (stats !== undefined) {
    const holder = await removeLeftover(path);
    if (holder !== undefined) throw new StartError(`the socket ${path} is in use by ${holder}`);
  }
  const server = createServer(onSocket);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toStartError(error, path)));
    const mask = process.umask(0o177); // never, not even for a moment, open to other users
    server.listen(path, () => resolve(server));
    process.umask(mask);
  });
}

function toStartError(error: Error, path: string): Error {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new StartError(`there is no folder for the socket ${path}`, { cause: error });
    case 'EACCES':
    case 'EROFS':
      return new StartError(`the socket ${path} needs more rights than we have`, { cause: error });
    case 'EADDRINUSE':
      return new StartError(`the socket ${path} is in use by another process`, { cause: error });
    default:
      return error;
  }
}
