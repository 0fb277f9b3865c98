import { spawnSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { approvalArguments } from '../../bin/operator/approval.ts';

describe('a deployment', () => {
  it.each([
    ['asks a person at a terminal', [], { hasTerminal: true, isCi: false }, []],
    ['asks nobody without one', [], { hasTerminal: false, isCi: false }, never()],
    ['asks nobody in CI', ['-c', 'stage=test'], { hasTerminal: true, isCi: true }, never()],
    ['keeps an option', ['--require-approval=any-change'], nowhere(), []],
    ['keeps one of two words', ['--require-approval', 'broadening'], nowhere(), []],
    ['keeps one in the spelling of programs', ['--requireApproval=never'], nowhere(), []],
  ])('%s', (_, given, surroundings, added) => {
    expect(approvalArguments(given, surroundings)).toEqual(added);
  });
});

function never() {
  return ['--require-approval', 'never'];
}

function nowhere() {
  return { hasTerminal: false, isCi: true };
}

test('npm run deploy passes its arguments to the CDK, and its exit code back', () => {
  const { stdout, stderr } = spawnSync('npm', ['run', 'deploy', '--silent', '--', '--help'], {
    encoding: 'utf8',
  });
  const failed = spawnSync('npm', ['run', 'deploy', '--silent', '--', '--app', 'false'], {
    encoding: 'utf8',
    env: { ...process.env, CI: 'true' },
  });

  expect(stdout).toMatch(/cdk deploy.*--require-approval/s);
  expect(stderr).toContain('nobody can be asked here');
  expect(failed.status).toBe(1);
}, 120_000);
