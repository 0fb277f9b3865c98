import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { codeOf } from '../../../shared/values/caught.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const start = fileURLToPath(new URL('start.sh', import.meta.url));

/** A step of a machine, a program of the shell. */
export interface MachineStep {
  readonly name: string;
  readonly commands: string;
}

/** What a step printed, and how it ended. */
export interface StepResult {
  readonly name: string;
  readonly status: number;
  readonly output: string;
}

const stepSeconds = 120;

/** Replacements of programs that need a network, which a machine has none of. */
const shims: Readonly<Record<string, string>> = {
  'apt-get': `[ "$1" = update ] && exit 0
for each; do
  case $each in install | -*) continue ;; esac
  dpkg-query --show --showformat='\${Status}\\n' "$each" | grep -q 'ok installed' || { echo "not installed: $each"; exit 1; }
done`,
  npm: `[ "$1" = ci ] && exec ln -sfn /project/node_modules node_modules
exec /usr/bin/npm "$@"`,
};

/** Returns why this machine cannot start another one in its namespaces; undefined when it can. */
export function machineObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root on Linux';
  const needed = [
    '/lib/systemd/systemd',
    '/usr/bin/bwrap',
    '/usr/sbin/nginx',
    '/usr/bin/caddy',
    '/usr/bin/git',
  ];
  const missing = needed.find((path) => !existsSync(path));
  if (missing !== undefined) return `there is no ${missing}`;
  const namespaces = ['--mount', '--pid', '--fork', '--net', '--uts', '--ipc', '--cgroup'];
  const tries = spawnSync('unshare', [...namespaces, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return tries.status === 0 ? undefined : 'namespaces cannot be made here';
}

/**
 * Runs steps as root, one after the other until one fails, on a machine whose PID 1 is systemd, without a network. Its files are those of
 * this machine, and its changes are lost.
 *
 * @throws Error when they take more than `seconds`
 */
export async function runOnMachine(
  steps: readonly MachineStep[],
  seconds: number,
): Promise<readonly StepResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-machine-'));
  const [units, out] = ['units', 'out'].map((name) => join(folder, name)) as [string, string];
  for (const each of [units, out, join(out, 'bin')]) mkdirSync(each);
  for (const [name, text] of Object.entries(shims)) {
    writeFileSync(join(out, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  for (const [at, { commands }] of steps.entries()) writeFileSync(join(out, `${at}.sh`), commands);
  writeFileSync(join(out, 'steps.sh'), program(steps.length));
  writeFileSync(join(units, 'steps.service'), unit);
  const machine = spawn('setpriv', ['--pdeathsig', 'KILL', 'sh', start, project, units, out], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(machine, 'close');
  try {
    const until = Date.now() + seconds * 1000;
    while (!existsSync(join(out, 'done'))) {
      if (machine.exitCode !== null) throw new Error('the machine has not started');
      if (Date.now() > until) throw new Error(`the steps took more than ${seconds} s`);
      await setTimeout(100);
    }
    return steps.map(({ name }, at) => ({ name, ...resultOf(out, at) }));
  } finally {
    machine.kill('SIGKILL');
    await ended;
    await removeGroups(`groundwork-test-${machine.pid}`);
    rmSync(folder, { recursive: true });
  }
}

const unit = `[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
Environment=PATH=/out/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
ExecStart=/bin/sh /out/steps.sh
`;

function program(count: number): string {
  return `trap 'touch /out/done' EXIT
for at in $(seq 0 ${count - 1}); do
  cd /root
  timeout ${stepSeconds} sh -e /out/$at.sh >/out/$at.txt 2>&1
  status=$?
  echo $status >/out/$at.status
  [ $status -eq 0 ] || exit
done
`;
}

function resultOf(out: string, at: number): Omit<StepResult, 'name'> {
  if (!existsSync(join(out, `${at}.status`))) return { status: -1, output: 'was not run' };
  const output = readFileSync(join(out, `${at}.txt`), 'utf8');
  return { status: Number(readFileSync(join(out, `${at}.status`), 'utf8')), output };
}

/** Removes the control groups of a machine that has ended, once its last process is gone. */
async function removeGroups(name: string): Promise<void> {
  const top = '/sys/fs/cgroup';
  const parents = [top, ...readdirSync(top).map((each) => join(top, each))];
  const folders = parents.map((each) => join(each, name)).filter((each) => existsSync(each));
  for (const folder of folders) {
    for (let tries = 0; !isRemoved(folder); tries += 1) {
      if (tries === 50) throw new Error(`${folder} is still in use`);
      await setTimeout(100);
    }
  }
}

function isRemoved(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !isRemoved(join(folder, entry.name))) return false;
    }
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EBUSY') return false;
    throw error;
  }
}
