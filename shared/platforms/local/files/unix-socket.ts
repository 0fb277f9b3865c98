import { realpathSync, statSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { codeOf } from '../../../values/caught.ts';
import { StartError } from '../server/start-error.ts';
import { maxSocketPath, removeLeftover } from './folder-lock.ts';

/**
 * Checks whether scripts, which run on this machine as the server's user, can open a socket.
 *
 * @param canOpen checks whether a script can open a socket in a folder, which is given by its real path
 * @throws StartError when there is no folder for the socket
 */
export function isOpenToScripts(
  path: string,
  canOpen: (folder: string) => Promise<boolean>,
): Promise<boolean> {
  return canOpen(folderOf(path));
}

function folderOf(socket: string): string {
  try {
    return realpathSync(dirname(socket));
  } catch (error) {
    throw new StartError(`there is no folder for the socket ${socket}`, { cause: error });
  }
}

/**
 * Lets a server listen on a Unix socket that only the user of this process can open. The socket that an ended process
 * has left is replaced; the end of the server removes it.
 *
 * @throws StartError when the path cannot be listened on
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxSocketPath) {
    throw new StartError(`the path of the socket ${path} is too long`);
  }
  folderOf(path);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isSocket()) throw new StartError(`${path} is no socket`);
  if (stats !== undefined) {
    const holder = await removeLeftover(path);
    if (holder !== undefined) throw new StartError(`the socket ${path} is in use by ${holder}`);
  }
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toStartError(error, path)));
    const mask = process.umask(0o177); // never, not even for a moment, open to other users
    server.listen(path, resolve);
    process.umask(mask);
  });
}

function toStartError(error: Error, path: string): Error {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EROFS':
      return new StartError(`the socket ${path} needs more rights than we have`, { cause: error });
    case 'EADDRINUSE':
      return new StartError(`the socket ${path} is in use by another process`, { cause: error });
    default:
      return error;
  }
}
