import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { addDeployedVersion } from '../../shared/platforms/aws/rotate-secret.ts';
import { clientOf, fetchSecrets } from '../../shared/platforms/aws/secrets.ts';
import { operator, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { bundleProgram } from '../support/bundled-program.ts';

/* The command that keeps a copy of the master secret, as an operator runs it. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:Master-AbCdEf';
const first = '5e'.repeat(32);

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('root', { scope: 'file' }, ({}, { onCleanup }) => {
    const root = mkdtempSync(join(tmpdir(), 'groundwork-secret-copy-'));
    onCleanup(() => rmSync(root, { recursive: true }));
    return root;
  })
  .extend('bundle', { scope: 'file' }, ({ root }) => bundleProgram('operator/secret-copy', root))
  .extend('copy', ({ root }) => join(mkdtempSync(join(root, 'copy-')), 'secret.json'))
  .extend('secretCopy', async ({ bundle, copy }, { onCleanup }) => {
    const aws = await startFakeAws({ secret: first, allows: () => true });
    const variables = { ...operator, AWS_ENDPOINT_URL: aws.url };
    Object.assign(process.env, variables);
    onCleanup(async () => {
      for (const name of Object.keys(variables)) delete process.env[name];
      await aws.close();
    });
    return (action: string, ...more: readonly string[]) =>
      secretCopy(bundle, [action, copy, '--secret', arn, ...more]);
  });

it('a copy is a file of its owner, is current until a rotation, and shows no secret', async ({
  secretCopy,
  copy,
}) => {
  const saved = await secretCopy('save');
  const checked = await secretCopy('check');
  await addDeployedVersion(arn, { isAtOnce: true });
  const outdated = await secretCopy('check');

  expect([saved.code, checked.code, outdated.code]).toEqual([0, 0, 1]);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readFileSync(copy, 'utf8')).toContain(first);
  expect(outdated.text).toContain('version 2 only in the deployment');
  expect(saved.text + checked.text + outdated.text).not.toContain(first);
});

it('a file that exists is not overwritten', async ({ secretCopy, copy }) => {
  writeFileSync(copy, 'mine');

  expect(await secretCopy('save')).toMatchObject({ code: 1 });
  expect(readFileSync(copy, 'utf8')).toBe('mine');
});

it('a copy is restored after a confirmation, into a secret that is another one or damaged', async ({
  secretCopy,
}) => {
  await secretCopy('save');
  const before = await deployed();
  await addDeployedVersion(arn, { isAtOnce: true });

  const asked = await secretCopy('restore');
  expect([asked.code, (await deployed()).current]).toEqual([1, 2]);
  const done = await secretCopy('restore', '--yes');
  expect([done.code, await deployed()]).toEqual([0, before]);
  const again = await secretCopy('restore', '--yes');
  expect([again.code, again.text]).toEqual([0, expect.stringContaining('nothing is changed')]);
});

it.for([
  '{"format": "groundwork-secret/1"}',
  `{"format":"groundwork-secret/1","secret":"a","saved":"b","value":{"current":2,"versions":[{"version":1,"secret":"${first}"}]}}`,
  first,
])(
  'a file that is no copy is rejected without its content: %s',
  async (content, { secretCopy, copy }) => {
    writeFileSync(copy, content);

    const { code, text } = await secretCopy('restore', '--yes');

    expect([code, text]).toEqual([1, expect.stringContaining('is not a copy of a master secret')]);
    expect(text).not.toContain(first);
    expect((await deployed()).versions).toEqual([{ version: 1, secret: first }]);
  },
);

async function secretCopy(bundle: string, args: readonly string[]) {
  try {
    const running = run(process.execPath, [bundle, ...args], { cwd: project });
    running.child.stdin?.end(); // nobody confirms
    const ran = await running;
    return { code: 0, text: ran.stdout + ran.stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

async function deployed() {
  return (await fetchSecrets(clientOf(arn), arn)).secrets;
}
