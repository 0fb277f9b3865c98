import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { codeOf } from '../../../../../shared/values/caught.ts';
import type { LockedPackage } from './lock.ts';

const minVersion = '23.0'; // its reports have a format that stays
const maxOutput = 64 * 1024 * 1024;
const quiet = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-color'];
/** A wheel runs no code when it is downloaded; a source distribution would. */
const wheelsOnly = ['--only-binary', ':all:'];
/**
 * Runs pip where it cannot start programs. What it builds runs in one of its own, and some of it escapes `wheelsOnly`,
 * such as a source whose address a wheel names. A program that tells pip a password stays allowed.
 */
const pipWithoutBuilds = `
import os, runpy, sys
def refuse(event, args):
    if event.startswith(('os.exec', 'os.fork', 'os.posix_spawn', 'os.spawn', 'os.system')) or (
        event == 'subprocess.Popen' and os.path.splitext(os.path.basename(os.fsdecode(args[0] or '')))[0] != 'keyring'
    ):
        raise PermissionError('groundwork takes wheels only, and pip would run a program')
sys.addaudithook(refuse)
runpy.run_module('pip', run_name='__main__', alter_sys=True)
`;
const pureOnly = ['--no-deps', ...wheelsOnly, '--platform', 'any'];

/** A file that pip has downloaded. */
export interface Wheel extends LockedPackage {
  readonly content: Uint8Array;
}

/** What pip says in the same words. */
const causes = ' (a wrong name or version, a package that is a source only, or no network)';

/** A version that pip has chosen. */
type Version = Pick<LockedPackage, 'name' | 'version'>;

const reportSchema = v.object({
  install: v.array(v.object({ metadata: v.object({ name: v.string(), version: v.string() }) })),
});

/**
 * Chooses versions for requirements, and downloads their pure-Python wheels.
 *
 * @param file path of the requirements, for errors
 */
export async function resolveWheels(
  requirements: readonly string[],
  file: string,
): Promise<readonly Wheel[]> {
  return inFolder(async (folder) => {
    await checkPip(folder);
    const list = 'requirements.txt';
    writeFileSync(join(folder, list), `${requirements.join('\n')}\n`);
    const args = ['--dry-run', '--ignore-installed', ...wheelsOnly, '--report', '-', '-r', list];
    const text = await pip(folder, ['install', ...args]).catch((error) => {
      throw new Error(`pip finds no wheels for ${file}${causes}: ${complaintOf(error)}`, {
        cause: error,
      });
    });
    const versions = v.parse(reportSchema, JSON.parse(text)).install.map(({ metadata }) => ({
      name: metadata.name.replace(/[-_.]+/g, '-').toLowerCase(),
      version: metadata.version,
    }));
    return downloadVersions(folder, versions);
  });
}

/** Downloads wheels of a lock file. */
export async function downloadLocked(
  packages: readonly LockedPackage[],
  file: string,
): Promise<readonly Wheel[]> {
  return inFolder(async (folder) => {
    await checkPip(folder);
    const lines = packages.map(
      ({ name, version, hash }) => `${name}==${version} --hash=sha256:${hash}\n`,
    );
    writeFileSync(join(folder, 'lock.txt'), lines.join(''));
    const args = ['download', ...pureOnly, '--require-hashes', '-d', 'wheels', '-r', 'lock.txt'];
    await pip(folder, args).catch((error) => {
      throw new Error(`pip does not get the wheels of ${file}: ${complaintOf(error)}`, {
        cause: error,
      });
    });
    return readWheels(folder, packages);
  });
}

async function downloadVersions(
  folder: string,
  versions: readonly Version[],
): Promise<readonly Wheel[]> {
  const exact = versions.map(({ name, version }) => `${name}==${version}`);
  if (exact.length === 0) return [];
  const download = (wanted: readonly string[]) =>
    pip(folder, ['download', ...pureOnly, '-d', 'wheels', ...wanted]);
  try {
    await download(exact);
  } catch (error) {
    for (const [at, each] of exact.entries()) {
      const { name, version } = versions[at] ?? { name: each, version: '' };
      await download([each]).catch((cause) => {
        throw new Error(`${name} ${version} has no pure-Python wheel: ${complaintOf(cause)}`, {
          cause,
        });
      });
    }
    throw error;
  }
  return readWheels(folder, versions);
}

function readWheels(folder: string, versions: readonly Version[]): readonly Wheel[] {
  const names = readdirSync(join(folder, 'wheels'));
  return versions.map(({ name, version }) => {
    const start = `${name.replaceAll('-', '_')}-`;
    const file = names.find((each) => wheelStart(each) === start && each.endsWith('-none-any.whl'));
    if (file === undefined) throw new Error(`${name} ${version} has no pure-Python wheel`);
    const content = readFileSync(join(folder, 'wheels', file));
    return { name, version, content, hash: createHash('sha256').update(content).digest('hex') };
  });
}

function wheelStart(file: string): string {
  const [name = ''] = file.split('-');
  return `${name.replace(/[-_.]+/g, '_').toLowerCase()}-`;
}

/** Uses a new folder: in that of a project, Python would take modules of pip from there. */
async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-pip-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function checkPip(folder: string): Promise<void> {
  const text = await run(folder, ['--version']).catch((error) => {
    const reason = codeOf(error) === 'ENOENT' ? 'there is no python3' : complaintOf(error);
    throw new Error(`a requirements.txt needs python3 with pip ${minVersion} or later: ${reason}`, {
      cause: error,
    });
  });
  const found = /^pip (\d+)\.(\d+)/.exec(text);
  if (Number(found?.[1] ?? 0) >= Number.parseInt(minVersion, 10)) return;
  throw new Error(
    `a requirements.txt needs pip ${minVersion} or later, and python3 has ${text.split(' from ')[0]}`,
  );
}

function pip(folder: string, [command = '', ...args]: readonly string[]): Promise<string> {
  return run(folder, [command, ...quiet, ...args]);
}

async function run(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('python3', ['-c', pipWithoutBuilds, ...args], {
    cwd,
    maxBuffer: maxOutput,
  });
  return stdout;
}

/** Returns what pip has complained about: its errors, else the last line. */
function complaintOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error);
  const lines = text.trim().split('\n');
  const errors = lines.filter((each) => each.startsWith('ERROR: '));
  return errors.map((each) => each.slice('ERROR: '.length)).join('; ') || (lines.at(-1) ?? '');
}
