import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownProject } from './server.ts';
import { undoAtExit } from './undo.ts';

/** A checkout of another version. */
export interface VersionCheckout {
  /** The git reference with its commit. */
  readonly name: string;
  readonly folder: string;
  /** Removes the checkout, which the end of this process does too. */
  readonly remove: () => void;
}

/**
 * Checks out a version in a temporary folder, with its packages.
 *
 * @throws Error for an unknown reference, and when git or npm fails
 */
export async function checkOut(ref: string): Promise<VersionCheckout> {
  const name = describeVersion(ref);
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-version-'));
  const remove = undoAtExit(() => {
    // twice forced: also a checkout that has changed, or has not been completed
    spawnSync('git', ['worktree', 'remove', '--force', '--force', folder], { cwd: ownProject });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  git('worktree', 'add', '--quiet', '--detach', folder, ref);
  await addPackages(folder);
  return { name, folder, remove };
}

/** Describes the version that runs, with whether its files differ from the commit. */
export function describeOwnVersion(): string {
  const changed = git('status', '--porcelain') !== '';
  return `${describeVersion('HEAD')}${changed ? ', with uncommitted changes' : ''}`;
}

function describeVersion(ref: string): string {
  return `${ref}, ${git('log', '-1', '--format=%h %s', ref, '--')}`;
}

/** Uses the packages of this version when they are the same, and installs them otherwise. */
async function addPackages(folder: string): Promise<void> {
  const lock = (project: string) => readFileSync(join(project, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(ownProject)) {
    symlinkSync(join(ownProject, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const kill = undoAtExit(() => npm.kill());
  const [code] = await once(npm, 'close');
  kill();
  if (code !== 0) throw new Error(`npm ci in ${folder} ended with ${code}`);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ownProject, encoding: 'utf8', stdio: 'pipe' }).trim();
}
