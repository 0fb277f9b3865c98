import { realpathSync } from 'node:fs';
import { maxResidentBytes, permissionFlags } from '../../../runtimes/limits.ts';
import { boxedPaths } from '../sandbox/box.ts';
import { enclose, type PreparedCommand, runtimesAt, toCommand } from '../sandbox/enclosure.ts';
import type { Isolation, Level } from '../sandbox/level.ts';
import { userArguments } from '../sandbox/other-user.ts';
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
  const { temporary, limit, dispose } = await openRunFolder(isolation.level);
  const command = startOf(isolation, temporary, ['runner.cjs', temporary]);
  return { command: { ...toCommand(command, temporary), maxResidentBytes, ...limit }, dispose };
}

/** Returns the command for a program that tries to break the guarantees of the sandbox, with the flags of a runner. */
export function probeCommand(isolation: Isolation, temporary: string): readonly string[] {
  return startOf(isolation, temporary, ['probe.cjs', String(process.pid), temporary]);
}

function startOf(
  isolation: Isolation,
  temporary: string,
  [program, ...args]: readonly string[],
): readonly string[] {
  const { level, hasNetwork } = isolation;
  const folder = `${runtimesAt(level)}/node`;
  const access = { readable: [folder], writable: [temporary], hasNetwork };
  return [
    ...enclose(isolation, { binds: [nodeBind], temporary, isAlone: true }),
    nodeAt(level),
    ...permissionFlags(flags, access),
    `${folder}/${program}`,
    ...args,
    ...userArguments(isolation),
  ];
}
