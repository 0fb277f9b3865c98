import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneOf } from '../support/sample.ts';
import { escapes, toScript } from './escapes.ts';
import { pythonEscapes, toScript as toPython } from './python-escapes.ts';
import type { Observation, Task } from './user-program.ts';

// A server of any user, whose program and data are in a folder that only this user can enter.

const project = fileURLToPath(new URL('../..', import.meta.url));
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

interface User {
  readonly name: string;
  readonly prefix: readonly string[];
  readonly id: number | undefined;
}

const setpriv = (id: string, ...more: readonly string[]) => [
  ...['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--inh-caps=-all'],
  ...more,
];
const ordinary: User = { name: 'an ordinary user', prefix: setpriv('1000'), id: 1000 };
const self: User = { name: isRoot ? 'root' : 'this user', prefix: [], id: undefined };
const users = isRoot && canRead(ordinary) ? [self, ordinary] : [self];
if (users.length === 1) {
  process.stdout.write(
    'skipped: servers of a second user (needs root, and a project that all may read)\n',
  );
}

/** Checks whether a user can use the packages of this project. */
function canRead({ prefix }: User): boolean {
  const [program = '', ...args] = [...prefix, process.execPath, '--import', 'tsx', '-e', '1'];
  try {
    execFileSync(program, args, { cwd: project, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Copies the project to a folder of mode 700 that belongs to the user; returns the folder of the copy. */
function cloneFor({ id }: User): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-private-'));
  const clone = join(folder, 'clone');
  mkdirSync(join(clone, 'data'), { recursive: true });
  for (const name of ['shared', 'test/scripts', 'test/support', 'package.json', 'tsconfig.json']) {
    cpSync(join(project, name), join(clone, name), { recursive: true });
  }
  symlinkSync(join(project, 'node_modules'), join(clone, 'node_modules'));
  writeFileSync(join(folder, 'secret.txt'), 'a secret of the host');
  chmodSync(clone, 0o700);
  execFileSync('chmod', ['-R', 'go-rwx', join(clone, 'shared'), join(clone, 'data')]); // as by a umask of 077
  if (id !== undefined) execFileSync('chown', ['-R', `${id}:${id}`, '--no-dereference', folder]);
  return clone;
}

const targets = (clone: string) => ({
  file: join(clone, '../secret.txt'),
  dataFile: join(clone, 'data/file'),
  absentFile: join(clone, 'absent'),
  pid: process.pid,
  addon: join(clone, 'absent.node'),
  socket: join(clone, 'socket'),
  abstractSocket: '\0groundwork-absent',
});

async function observe(
  user: User,
  clone: string,
  level: Task['level'],
  more: readonly string[] = [],
) {
  const command = [...user.prefix, ...more, process.execPath, '--import', 'tsx'];
  const [program = '', ...args] = [...command, 'test/scripts/user-program.ts'];
  const child = spawn(program, args, { cwd: clone, stdio: ['pipe', 'pipe', 'pipe'] });
  const sources = { node: toScript(escapes), python: toPython(pythonEscapes) };
  const task: Task = { level, folder: join(clone, 'data'), args: targets(clone), sources };
  child.stdin.on('error', () => {}); // it has failed: `errors` has the reason
  child.stdin.end(JSON.stringify(task));
  const [output, errors] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (errors.includes('StartError')) return undefined; // the level does not work for this user
  if (output === '') throw new Error(errors);
  const observation: Observation = JSON.parse(output);
  return observation;
}

const levels = ['bubblewrap', 'landlock', 'flags'] as const;
const hosts = users.map((user, turn) => ({ ...user, levels: oneOf(levels, turn) }));

describe.runIf(isLinux).each(hosts)('a server of $name in a private folder', (user) => {
  let clone: string;
  beforeAll(() => {
    clone = cloneFor(user);
  });
  afterAll(() => rmSync(join(clone, '..'), { recursive: true }));

  test.each(user.levels)(
    'runs scripts without root and without a successful attempt, level %s',
    async (level) => {
      const observation = await observe(user, clone, level);
      if (observation === undefined) {
        process.stdout.write(`skipped: the level ${level} of ${user.name}\n`);
        return;
      }

      const { users: seen, outputs } = observation;
      const lines = Object.values(outputs).flatMap((output) => output.split('\n'));
      expect(lines.filter((line) => line.endsWith(': ESCAPED'))).toEqual([]);
      expect(lines.filter((line) => line.includes(': held')).length).toBeGreaterThan(
        escapes.length - 1,
      );
      expect(outputs.node).toMatch(/\nsuccess$/);
      expect(seen).not.toEqual([]);
      expect(
        seen.filter((each) => / 0 0 0 0 | 0 0 0 0$/.test(each) || !/ 0{16}$/.test(each)),
      ).toEqual([]);
    },
  );
});

describe.runIf(isRoot)('a server of root without the capability SYS_PTRACE', () => {
  test('says that some files do not count', async () => {
    const clone = cloneFor(self);

    const observation = await observe(self, clone, 'landlock', [
      'setpriv',
      '--bounding-set=-sys_ptrace',
    ]);

    rmSync(join(clone, '..'), { recursive: true });
    expect(observation?.description).toContain('(root needs the capability SYS_PTRACE)');
  });
});

describe.runIf(isRoot)('a server of root that cannot become another user', () => {
  test('runs no script, and says why', async () => {
    const clone = cloneFor(self);
    const held = ['setpriv', '--bounding-set=-setuid,-setgid,-sys_admin'];

    const observation = await observe(self, clone, undefined, held);

    rmSync(join(clone, '..'), { recursive: true });
    expect(observation?.description).toMatch(/^Scripts do not run here: this server is root/);
    expect(observation?.outputs.node).toContain('this server is root, and cannot run them');
    expect(observation?.outputs.python).toContain('this server is root, and cannot run them');
  });
});
