import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { maxResidentBytes, permissionFlags } from '../../../../runtimes/limits.ts';
import { boxedPaths } from '../sandbox/box.ts';
import {
  type Enclosed,
  enclose,
  type PreparedCommand,
  runtimesAt,
  toCommand,
} from '../sandbox/enclosure.ts';
import type { Isolation, Level } from '../sandbox/level.ts';
import { userArguments } from '../sandbox/other-user.ts';
import { openRunFolder } from '../sandbox/run-folders.ts';
import { clientFolder } from './bundle-client.mjs';

const flags = process.allowedNodeEnvironmentFlags;
/** Path of the Node program on this machine and in a box. */
export const nodeBind = [realpathSync(process.execPath), boxedPaths.node] as const;

/** Returns the path of Node for a program at this level. */
export function nodeAt(level: Level): string {
  return level === 'bubblewrap' ? boxedPaths.node : nodeBind[0];
}

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
let client: Promise<string> | undefined;

/**
 * Prepares the command for a runner of Node scripts.
 *
 * @throws Error as {@link clientFolder} does
 */
export async function prepareNode(isolation: Isolation): Promise<PreparedCommand> {
  const packages = await bundledClient();
  const { temporary, limit, dispose } = await openRunFolder(isolation.level);
  const isBoxed = isolation.level === 'bubblewrap';
  const bind = [packages, isBoxed ? boxedPaths.client : packages] as const;
  const program = ['runner.cjs', temporary, `${bind[1]}/syncano.txt`];
  const command = startOf(isolation, temporary, program, [bind]);
  return { command: { ...toCommand(command, temporary), maxResidentBytes, ...limit }, dispose };
}

/** Returns the folder of the bundled client; after an error, the next run tries again. */
function bundledClient(): Promise<string> {
  client ??= clientFolder(root).catch((error) => {
    client = undefined;
    throw error;
  });
  return client;
}

/** Returns the command for a program that tries to break the guarantees of the sandbox, with the flags of a runner. */
export function probeCommand(isolation: Isolation, temporary: string): readonly string[] {
  return startOf(isolation, temporary, ['probe.cjs', String(process.pid), temporary]);
}

function startOf(
  isolation: Isolation,
  temporary: string,
  [program, ...args]: readonly string[],
  folders: Enclosed['binds'] = [],
): readonly string[] {
  const { level, hasNetwork } = isolation;
  const folder = `${runtimesAt(level)}/node`;
  const readable = [folder, ...folders.map(([, path]) => path)];
  const access = { readable, writable: [temporary], hasNetwork };
  return [
    ...enclose(isolation, { binds: [nodeBind, ...folders], temporary, isAlone: true }),
    nodeAt(level),
    ...permissionFlags(flags, access),
    `${folder}/${program}`,
    ...args,
    ...userArguments(isolation),
  ];
}
