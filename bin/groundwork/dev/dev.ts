import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { consoleAddress } from '../addresses.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { checkNamed, openProjectFiles, type ProjectFiles, UnsafeFile } from '../project-files.ts';
import { projectFolder } from '../project-folder.ts';
import { findLogSources, formatEntry, openLogReader } from '../run-logs.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { type FollowedProject, openProjectPush } from './follow.ts';
import { startLocalServer } from './local-server.ts';

/** Adds `dev`: pushes the project at each change, and prints all runs, until it is ended. */
export const addDev: AddCommand = (program, terminal) => {
  withInstance(program.command('dev'))
    .description('start the local server, push every change, and show the runs of scripts')
    .option('--data <folder>', 'the data folder of the server (.groundwork of the project)')
    .addHelpText('after', '\nExample:\n  groundwork dev')
    .action((options: DevOptions) => dev(options, terminal()));
};

interface DevOptions extends ConnectionOptions {
  readonly data?: string;
}

const pauseMs = 500;

async function dev({ data: given, ...options }: DevOptions, out: Terminal): Promise<never> {
  const folder = projectFolder();
  const connection = connectInstance(options, folder);
  const data = given ?? join(folder, '.groundwork');
  checkNamed(data);
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const endServer = await startLocalServer(connection.url, data, out);
  try {
    out.say(`Console: ${consoleAddress(connection)}`);
    out.say(`Watching ${resolve(folder)}: groundwork.yml and scripts/ are pushed when they change`);
    await Promise.race([followProject({ connection, folder, out }), interrupted]);
  } finally {
    await endServer();
  }
  process.exit(0); // what follows the project would go on
}

async function followProject(followed: FollowedProject): Promise<never> {
  const { connection, folder, out } = followed;
  const push = openProjectPush(followed);
  const reader = openLogReader(connection.send, {});
  await reader.read(await findLogSources(connection, {}), 0); // of earlier
  for (let last = ''; ; await setTimeout(pauseMs)) {
    const present = stateOf(openProjectFiles(folder));
    if (present !== last) await push();
    last = present;
    const sources = await findLogSources(connection, {});
    for (const entry of await reader.read(sources, Number.POSITIVE_INFINITY)) {
      out.result(entry, () => formatEntry(entry, out));
    }
  }
}

/** Returns a text that differs when a file of a project has changed. Links are not followed: a push rejects them. */
function stateOf(files: ProjectFiles): string {
  const scripts = unlessUnsafe(() => files.list('scripts'), []);
  const names = ['groundwork.yml', 'syncano.yml', ...scripts];
  return names.map((name) => unlessUnsafe(() => changeOf(files, name), `${name} link`)).join();
}

function unlessUnsafe<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof UnsafeFile)) throw error;
    return otherwise;
  }
}

function changeOf(files: ProjectFiles, name: string): string {
  const found = files.stat(name);
  return found === undefined ? '' : `${name} ${found.mtimeMs} ${found.size}`;
}
