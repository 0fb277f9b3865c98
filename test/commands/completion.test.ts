import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProgram } from '../../bin/groundwork/program.ts';
import { openProject } from './groundwork.ts';

async function openBash() {
  const { folder, run } = openProject();
  const script = join(folder, 'completion.sh');
  const { status, stdout } = await run('completion', 'bash');
  expect(status).toBe(0);
  writeFileSync(script, stdout);
  return (...words: readonly string[]): readonly string[] => {
    const program = `source '${script}'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); $(complete -p groundwork | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ['--norc', '-c', program, 'bash', 'groundwork', ...words];
    return execFileSync('bash', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  };
}

test('bash completes commands, options and choices', async () => {
  const complete = await openBash();

  expect(complete('log')).toEqual(['login', 'logs']);
  expect(complete('logs', '--f')).toEqual(['--follow']);
  expect(complete('logs', '--follow', '--err')).toEqual(['--errors']);
  expect(complete('--j')).toEqual(['--json']);
  expect(complete('completion', '')).toEqual(['bash', 'zsh']);
  expect(complete('admin', 're')).toEqual(['reset-password', 'resume']);
  expect(complete('admin', 'reset-password', '--r')).toEqual(['--random']);
  expect(complete('run', 'gr')).toEqual([]); // the shell completes names of files
});

test('bash completes every command with all of its options', async () => {
  const complete = await openBash();
  const { commands } = createProgram('1.0.0');
  const options = commands.map((command) => [
    command.name(),
    [...command.options.map(({ long }) => long), '--help'],
  ]);

  expect(complete('')).toEqual(expect.arrayContaining(commands.map((command) => command.name())));
  expect(commands.map((command) => [command.name(), complete(command.name(), '-')])).toEqual(
    options,
  );
});

test('a command whose reader has left, like head, ends without a complaint', async () => {
  const child = openProject().spawn('completion', 'bash');
  let complaints = '';
  child.stderr?.on('data', (part) => {
    complaints += part;
  });

  child.stdout?.destroy();

  expect(await once(child, 'close')).toEqual([1, null]);
  expect(complaints).toBe('');
});

test('there is completion for known shells only', async () => {
  expect(await openProject().run('completion', 'fish')).toMatchObject({ status: 2 });
});

const hasZsh = (() => {
  try {
    execFileSync('zsh', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!hasZsh)('zsh reads its script', async () => {
  const { folder, run } = openProject();
  const script = join(folder, 'completion.zsh');
  writeFileSync(script, (await run('completion', 'zsh')).stdout);
  const program = `autoload -Uz compinit; compinit -u; source '${script}'; print $_comps[groundwork]
_describe() { print $1 \${(P)2} }; _files() { print files }
words=(groundwork log) CURRENT=2 PREFIX=log; _groundwork
words=(groundwork logs --f) CURRENT=3 PREFIX=--f; _groundwork
words=(groundwork run x) CURRENT=3 PREFIX=x; _groundwork`;

  const printed = execFileSync('zsh', ['-f', '-c', program], { encoding: 'utf8', cwd: folder });

  const [name, commands, options, files] = printed.trim().split('\n');
  expect([name, files]).toEqual(['_groundwork', 'files']);
  expect(commands).toMatch(/^command init:.* logs:/);
  expect(options).toMatch(/^option .*--follow:wait for more runs/);
});
