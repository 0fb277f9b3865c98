import { realpathSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxResidentBytes, permissionFlags, scriptVariables } from '../../runtimes/limits.ts';
import type { RunnerCommand } from '../../runtimes/process.ts';
import { boxCommand, boxedPaths, type Isolation, runtimeFolder } from './isolation.ts';

/** How to start a runner, and what to do once it has ended. */
export interface PreparedCommand {
  readonly command: RunnerCommand;
  /** Removes what was made for it. */
  dispose(): Promise<void>;
}

const flags = process.allowedNodeEnvironmentFlags;

/** The command for a runner of Node scripts. */
export async function prepareNode(isolation: Isolation): Promise<PreparedCommand> {
  if (!isolation.hasBubblewrap) return prepareUnboxed(isolation);
  const { node, runtimes, temporary } = boxedPaths;
  const box = { ...isolation, binds: [[realpathSync(process.execPath), node]] as const };
  const command = [
    ...[...isolation.prefix, ...boxCommand(box), node],
    ...nodeArgs({ runtimes, temporary }),
  ];
  return { command: toCommand(command, temporary), dispose: async () => {} };
}

/** Without a box of its own it gets a temporary folder of its own. */
async function prepareUnboxed(isolation: Isolation): Promise<PreparedCommand> {
  const temporary = await realpath(await mkdtemp(join(tmpdir(), 'groundwork-script-')));
  const args = nodeArgs({ runtimes: runtimeFolder, temporary });
  const command = toCommand([...isolation.prefix, process.execPath, ...args], temporary);
  return {
    command: { ...command, maxResidentBytes },
    dispose: () => rm(temporary, { recursive: true, force: true }),
  };
}

interface Paths {
  readonly runtimes: string;
  readonly temporary: string;
}

function nodeArgs({ runtimes, temporary }: Paths): readonly string[] {
  const folder = `${runtimes}/node`;
  return [
    ...permissionFlags(flags, { readable: [folder], writable: [temporary] }),
    `${folder}/runner.cjs`,
    temporary,
  ];
}

function toCommand([program = '', ...args]: readonly string[], temporary: string): RunnerCommand {
  return { program, args, variables: scriptVariables(temporary), folder: temporary };
}
