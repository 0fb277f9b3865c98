import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from './groundwork.ts';

const install = ['admin', 'install-service'];

test('install-service --dry-run prints the unit, and writes nothing', async () => {
  const { run } = openProject();

  const { status, stdout } = await run(...install, '--dry-run');

  expect(status).toBe(0);
  expect(stdout).toContain(
    `\nExecStart=${process.execPath} --max-semi-space-size=32 bin/start.mjs`,
  );
  expect(stdout).not.toMatch(/@[A-Z]+@/);
});

test('install-service writes the unit, and says what to do then', async () => {
  const { folder, run } = openProject();
  const unit = join(folder, 'groundwork.service');
  const { stdout: printed } = await run(...install, '--dry-run');

  const first = await run(...install, '--unit', unit);
  const again = await run(...install, '--unit', unit);

  expect([first.status, again.status]).toEqual([0, 0]);
  expect(readFileSync(unit, 'utf8')).toBe(printed);
  expect(first.stdout).toMatch(/systemctl daemon-reload\n +systemctl enable --now groundwork\n$/);
});

test('install-service replaces a unit that differs with --force only', async () => {
  const { folder, run } = openProject();
  const unit = join(folder, 'groundwork.service');
  writeFileSync(unit, '[Service]\n');

  const refused = await run(...install, '--unit', unit);
  const kept = readFileSync(unit, 'utf8');
  const forced = await run(...install, '--unit', unit, '--force');

  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('--force') });
  expect([kept, forced.status]).toEqual(['[Service]\n', 0]);
  expect(readFileSync(unit, 'utf8')).toContain('NoNewPrivileges=yes');
});

const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasAnalyze) process.stdout.write('skipped: the unit for systemd, which is not installed\n');

describe.skipIf(!hasAnalyze)('systemd-analyze', () => {
  async function unitFile() {
    const { folder, run } = openProject();
    const unit = join(folder, 'groundwork.service');
    await run(...install, '--unit', unit);
    return unit;
  }

  test('finds no mistake in the unit', async () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', await unitFile()]);

    expect([status, stderr.toString()]).toEqual([0, '']);
  });

  test('says that the unit is exposed by at most 3 of 10', async () => {
    const check = ['security', '--offline=yes', '--no-pager', '--threshold=30'];

    const printed = execFileSync('systemd-analyze', [...check, await unitFile()]).toString();

    expect(printed).toContain('Overall exposure level for groundwork.service: ');
  });
});
