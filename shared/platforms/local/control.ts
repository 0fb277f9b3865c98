import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { codeOf, messageOf } from '../../values/caught.ts';
import { neverRejects } from '../../values/promises/in-background.ts';
import { openAddress } from './files/folder-lock.ts';
import { StartError } from './server/start-error.ts';

/*
 * Commands for operators reach a running server through a socket in its data folder, which only the owner may use. A
 * connection carries one line of JSON, the request, and one back: empty, or the error.
 */

const fileName = 'control.sock';
const maxLine = 10_000;

/**
 * Accepts requests of commands until it is closed. The folder must be locked by this process.
 *
 * @param handle an error that it throws is returned to the command
 */
export async function openControl(
  folder: string,
  handle: (request: unknown) => Promise<void>,
): Promise<{ close(): Promise<void> }> {
  const address = openAddress(folder, fileName);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy()); // the command has gone
    neverRejects(respond(socket, handle));
  });
  if (process.platform !== 'win32') await rm(address.path, { force: true }); // left by a killed process
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.path, resolve);
  });
  server.unref();
  if (process.platform !== 'win32') await chmod(address.path, 0o600);
  return {
    close: async () => {
      await new Promise((resolve) => server.close(resolve)); // removes the socket as well
      address.close();
    },
  };
}

async function respond(socket: Socket, handle: (request: unknown) => Promise<void>) {
  try {
    await handle(JSON.parse(await readLine(socket)));
    socket.end('{}\n');
  } catch (error) {
    socket.end(`${JSON.stringify({ error: messageOf(error) })}\n`);
  }
}

/**
 * Sends a request to the server that uses a folder.
 *
 * @throws StartError when there is none; Error when the server returns an error
 */
export async function askServer(folder: string, request: object): Promise<void> {
  const address = openAddress(folder, fileName);
  const socket = connect(address.path);
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    const { error } = JSON.parse(await readLine(socket)) as { error?: string }; // `respond` wrote it
    if (error !== undefined) throw new Error(error);
  } catch (error) {
    if (!['ENOENT', 'ECONNREFUSED'].includes(codeOf(error) ?? '')) throw error;
    throw new StartError(`no server uses ${folder}: start it, it processes the request`);
  } finally {
    socket.destroy();
    address.close();
  }
}

/** Reads up to the first line break. */
async function readLine(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(part);
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
    if (text.length > maxLine) break;
  }
  throw new Error('the other process has sent no line');
}
