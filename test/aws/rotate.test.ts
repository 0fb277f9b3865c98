import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { openSecrets } from '../../shared/platform/aws/secrets.ts';
import { type FakeAws, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { bundleProgram } from '../support/bundled-program.ts';

/** The command that adds a version to the secret of a deployment, as an operator runs it. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:Master-AbCdEf';
const first = '5e'.repeat(32);

const root = mkdtempSync(join(tmpdir(), 'groundwork-rotate-'));
afterAll(() => rmSync(root, { recursive: true }));

const bundle = bundleProgram('rotate', root);

let aws: FakeAws;
let denied: readonly string[];

beforeEach(async () => {
  denied = [];
  aws = await startFakeAws({
    secret: first,
    allows: ({ action, resource }) => resource === arn && !denied.includes(action),
  });
});
afterEach(() => aws.close());

async function rotate(...args: readonly string[]) {
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: aws.url,
    AWS_ACCESS_KEY_ID: 'an operator',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  try {
    return { code: 0, ...(await run(process.execPath, [bundle, ...args], { cwd: project, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

/** Returns the versions that new functions load. */
function deployed() {
  const client = new SecretsManagerClient({
    region: 'eu-west-1',
    endpoint: aws.url,
    credentials: { accessKeyId: 'a function', secretAccessKey: 'secret' },
  });
  return openSecrets({ client, secret: arn, nowMs: () => 0 });
}

test('adds a version, which new keys use, and keeps those before', async () => {
  const once = await rotate('add', '--secret', arn);
  const two = await deployed().current();
  const twice = await rotate('add', '--secret', arn);
  const secrets = deployed();

  const said = (version: number) => ({
    code: 0,
    stderr: '',
    stdout: `Added version ${version} to the master secret of ${arn}\n`,
  });
  expect([once, twice]).toEqual([said(2), said(3)]);
  expect((await secrets.current()).version).toBe(3);
  expect(await secrets.get(1)).toEqual({ version: 1, secret: Buffer.from(first, 'hex') });
  expect(two).toEqual({ version: 2, secret: expect.any(Buffer) });
  expect(await secrets.get(2)).toEqual(two);
  expect(two.secret).toHaveLength(32);
}, 60_000);

test('several at the same time lose no version', async () => {
  const results = await Promise.all([1, 2, 3].map(() => rotate('add', '--secret', arn)));

  const added = results.filter(({ code }) => code === 0);
  expect(added.length).toBeGreaterThanOrEqual(1);
  expect((await deployed().current()).version).toBe(1 + added.length);
}, 60_000);

test.each([
  ['read', 'secretsmanager:GetSecretValue'],
  ['write', 'secretsmanager:PutSecretValue'],
  ['make it the current one', 'secretsmanager:UpdateSecretVersionStage'],
])(
  'a caller who may not %s it gets that error, and nothing changes',
  async (_, action) => {
    denied = [action];

    const result = await rotate('add', '--secret', arn);
    denied = [];

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(new RegExp(`^rotate: .*${action}`));
    expect((await deployed().current()).version).toBe(1);
  },
  60_000,
);

test('an invalid ARN is rejected', async () => {
  expect(await rotate('add', '--secret', 'Groundwork-prod')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'rotate: --secret takes an ARN (see --help)\n',
  });
}, 60_000);
