import { createHash } from 'node:crypto';
import { closeSync, openSync, realpathSync, statSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';
import { StartError } from '../server/start-error.ts';

/*
 * The lock is a socket in the folder that the holder listens on. The system ends the listening with the process,
 * however that ends, so a socket without a listener is a leftover. A reused process id cannot mislead, and containers
 * that share the folder see each other.
 */

const fileName = 'lock.sock';
/** Longest path of a socket in bytes: the system truncates a longer one silently. */
export const maxSocketPath = 100;
const responseMs = 3000;

/**
 * Locks a folder for this process. The returned function or the end of the process unlocks it.
 *
 * @throws StartError when another process holds it; the message names the process and its start
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const address = openAddress(folder, fileName);
  try {
    const server = (await listen(address.path)) ?? (await replaceLeftover(folder, address.path));
    return async () => {
      await new Promise((resolve) => server.close(resolve)); // removes the socket as well
      address.close();
    };
  } catch (error) {
    address.close();
    throw error;
  }
}

/** Opens a name for a socket in a folder that is short enough for the system. */
export function openAddress(
  folder: string,
  name: string,
): { readonly path: string; close(): void } {
  const path = join(folder, name);
  if (process.platform === 'win32') {
    const hash = createHash('sha256').update(realpathSync(folder)).digest('hex');
    return { path: `\\\\.\\pipe\\groundwork-${name}-${hash}`, close: () => undefined };
  }
  if (Buffer.byteLength(path) <= maxSocketPath) return { path, close: () => undefined };
  if (process.platform !== 'linux') {
    throw new StartError(`the path of the data folder ${folder} is too long for a lock in it`);
  }
  const descriptor = openSync(folder, 'r');
  return {
    path: `/proc/self/fd/${descriptor}/${name}`,
    close: () => closeSync(descriptor),
  };
}

/** Starts to listen; undefined when the socket exists already. */
function listen(path: string): Promise<Server | undefined> {
  const holder = JSON.stringify({ pid: process.pid, since: new Date().toISOString() });
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the other process has gone
    socket.end(holder);
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

async function replaceLeftover(folder: string, path: string): Promise<Server> {
  const holder = await removeLeftover(path);
  if (holder !== undefined) {
    throw new StartError(`the data folder ${folder} is in use by ${holder}`);
  }
  const server = await listen(path);
  if (server === undefined) {
    throw new StartError(`the data folder ${folder} is in use by a process that starts just now`);
  }
  return server;
}

/**
 * Removes a socket that no process listens on.
 *
 * @returns a description of the process that does listen on it; undefined when there is none
 */
export async function removeLeftover(path: string): Promise<string | undefined> {
  const mark = markOf(path);
  const holder = await askHolder(path);
  if (holder !== undefined) return holder;
  // Check and removal in one step, without await: another process that starts now may have replaced it already.
  if (mark !== undefined && markOf(path) === mark) unlinkSync(path);
  return undefined;
}

/** Returns an identity of the socket at a path; the inode number alone may be reused at once. */
function markOf(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true });
  return file && `${file.ino} ${file.ctimeNs}`;
}

/**
 * Describes the process that listens; undefined when there is none. One too busy to respond holds the lock all the
 * same.
 */
function askHolder(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path);
    socket.setTimeout(responseMs, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.once('error', (error) => {
      const isLeftover = ['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '');
      resolve(isLeftover ? undefined : 'another process');
    });
    socket.once('close', () => resolve(describeHolder(text)));
  });
}

function describeHolder(text: string): string {
  const found = /^\{"pid":(\d+),"since":"([^"]+)"\}$/.exec(text);
  return found ? `process ${found[1]} since ${found[2]}` : 'another process';
}
