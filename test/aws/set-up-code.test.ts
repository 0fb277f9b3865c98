import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { operator, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { bundleProgram } from '../support/bundled-program.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:Master-AbCdEf';

const root = mkdtempSync(join(tmpdir(), 'groundwork-set-up-code-'));
afterAll(() => rmSync(root, { recursive: true }));

const bundle = bundleProgram('set-up-code', root);

/** The command as run by an operator, in a deployment whose secret is all `5e`. */
async function printCode(argument: string, isAllowed: boolean) {
  const aws = await startFakeAws({
    secret: '5e'.repeat(32),
    allows: ({ resource }) => isAllowed && resource === arn,
  });
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: aws.url,
    ...operator,
  };
  try {
    return await run(process.execPath, [bundle, argument], { cwd: project, env });
  } catch (error) {
    return error;
  } finally {
    await aws.close();
  }
}

test('the set-up code is derived from the secret', async () => {
  const expected = keyText(
    { kind: 'setUp', version: 1, scope: 0, record: 0, generation: 1 },
    Buffer.alloc(32, 0x5e),
  );

  expect(await printCode(arn, true)).toEqual({ stdout: `${expected}\n`, stderr: '' });
});

test('a caller who may not read the secret gets that error', async () => {
  expect(await printCode(arn, false)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^set-up-code: .*secretsmanager:GetSecretValue/),
  });
});

test('an invalid ARN is rejected, with the place to find it', async () => {
  expect(await printCode('Groundwork-prod', true)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('SetUpCode'),
  });
});
