import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProcess } from '../support/server-process.ts';
import { openProject } from './groundwork.ts';

/* The programs `age` and `tar`, which this project has not written, make a folder of a backup. */

const folder = process.env.GROUNDWORK_TEST_AGE ?? ''; // of the programs; absent: as in PATH
const [age, keygen] = [join(folder, 'age'), join(folder, 'age-keygen')];
const isThere = spawnSync(age, ['--version']).status === 0;
if (!isThere) {
  process.stderr.write(
    'Skipped: backups read by age. It is a package of most systems (apt-get install age), or a folder in GROUNDWORK_TEST_AGE.\n',
  );
}

test.skipIf(!isThere)('a backup is decrypted and unpacked without this program', async () => {
  const project = openProject();
  const server = await startProcess(join(project.folder, 'data'));
  await server.end('SIGTERM');
  const inProject = { cwd: project.folder };
  execFileSync(keygen, ['-o', 'key.txt'], { ...inProject, stdio: 'ignore' });
  const recipient = execFileSync(keygen, ['-y', 'key.txt'], inProject).toString().trim();
  const args = ['--data', 'data', '--to', 'there', '--recipient', recipient, '--json'];
  const { name } = JSON.parse((await project.run('backup', ...args)).stdout);
  mkdirSync(join(project.folder, 'by-hand'));

  const decrypt = `"$0" --decrypt -i key.txt "there/$1" | tar --extract --directory by-hand`;
  execFileSync('/bin/sh', ['-ec', decrypt, age, name], inProject);
  const byHand = await project.run('restore', 'by-hand', '--data', 'restored');
  const byProgram = await project.run(
    'restore',
    `there/${name}`,
    '--identity',
    'key.txt',
    '--data',
    'again',
  );

  expect(readdirSync(join(project.folder, 'by-hand')).sort()).toEqual([
    'format.json',
    'manifest.json',
    'secrets.json',
    'store',
  ]);
  expect(byHand).toMatchObject({ status: 0, stderr: '' });
  expect(byProgram).toMatchObject({ status: 0, stderr: '' });
});
