import { realpathSync } from 'node:fs';
import { maxResidentBytes, permissionFlags } from '../../../runtimes/limits.ts';
import { boxedPaths } from '../sandbox/box.ts';
import { enclose, type PreparedCommand, runtimesAt, toCommand } from '../sandbox/enclosure.ts';
import type { Isolation, Level } from '../sandbox/level.ts';
import { openRunFolder } from '../sandbox/run-folders.ts';

const flags = process.allowedNodeEnvironmentFlags;
/** Path of the Node program on this machine and in a box. */
export const nodeBind = [realpathSync(process.execPath), boxedPaths.node] as const;

/** Returns the path of Node for a program at this level. */
export function nodeAt(level: Level): string {
  return level === 'bubblewrap' ? boxedPaths.node : nodeBind[0];
}

/** Prepares the command for a runner of Node scripts. */
export async function prepareNode(isolation: Isolation): Promise<PreparedCommand> {
  const { level, hasNetwork } = isolation;
  const { temporary, limit, dispose } = await openRunFolder(level);
  const folder = `${runtimesAt(level)}/node`;
  const access = { readable: [folder], writable: [temporary], hasNetwork };
  const command = [
    ...enclose(isolation, { binds: [nodeBind], temporary, isAlone: true }),
    nodeAt(level),
    ...permissionFlags(flags, access),
    `${folder}/runner.cjs`,
    temporary,
  ];
  return { command: { ...toCommand(command, temporary), maxResidentBytes, ...limit }, dispose };
}
