import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../shared/accounts/keys.ts';
import { openSecrets } from '../../shared/platforms/aws/secrets.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import type { Secrets } from '../../shared/ports/ports.ts';
import { accountEntity } from '../../shared/table/entities/accounts.ts';
import { scriptEndpointEntity } from '../../shared/table/entities/endpoints.ts';
import { apiKeyEntity, invitationEntity } from '../../shared/table/entities/instances.ts';
import { sessionEntity } from '../../shared/table/entities/user-accounts.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { operator, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { bundleProgram } from '../support/bundled-program.ts';

/** The command that changes the secret of a deployment, as an operator runs it. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:Master-AbCdEf';
const first = '5e'.repeat(32);

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('bundle', { scope: 'file' }, ({}, { onCleanup }) => {
    const root = mkdtempSync(join(tmpdir(), 'groundwork-rotate-'));
    onCleanup(() => rmSync(root, { recursive: true }));
    return bundleProgram('rotate', root);
  })
  .extend('given', async ({ bundle }, { onCleanup }) => {
    const given = await setUp(bundle);
    onCleanup(() => given.aws.close());
    return given;
  });

it('adds a version, which new keys use, and keeps those before', async ({ given }) => {
  const once = await given.rotate('add', '--secret', arn, '--now');
  const two = await given.deployed().current();
  const twice = await given.rotate('add', '--secret', arn, '--now');
  const secrets = given.deployed();

  const said = (version: number) => ({
    code: 0,
    stderr: '',
    stdout: `Added version ${version} to the master secret of ${arn}; new keys use it from now\n`,
  });
  expect([once, twice]).toEqual([said(2), said(3)]);
  expect((await secrets.current()).version).toBe(3);
  expect(await secrets.get(1)).toEqual({ version: 1, secret: Buffer.from(first, 'hex') });
  expect(two).toEqual({ version: 2, secret: expect.any(Buffer) });
  expect(await secrets.get(2)).toEqual(two);
  expect(two.secret).toHaveLength(32);
}, 60_000);

it('no function rejects a key of another one, whatever each has read so far', async ({ given }) => {
  const claims = { kind: 'account', scope: 7, record: 0, generation: 1 } as const;
  let now = Date.now();
  const start = now;
  const newFunction = () => given.deployed(() => now);
  const oldest = newFunction();
  await oldest.current();
  now += 30_000;
  const functions = [oldest, newFunction()];
  const used = new Set<number>();
  const rejected: number[] = [];
  const keyOf = async (one: Secrets) => {
    const { version, secret } = await one.current();
    used.add(version);
    return keyText({ ...claims, version }, secret);
  };

  await given.rotate('add', '--secret', arn);
  given.fetches = 0;
  for (let second = 0; second < 180; second += 1) {
    now += 1000;
    functions.push(newFunction()); // it reads the secret now, others have read it at different times
    if (functions.length > 10) functions.splice(1, 1);
    const key = await keyOf(functions.at(second % functions.length) ?? oldest);
    for (const one of functions) {
      if ((await claimsOf(one, 'account', key)) === undefined) rejected.push(second);
    }
  }

  expect(rejected).toEqual([]);
  expect([...used]).toEqual([1, 2]);
  expect(now - start).toBe(210_000);
}, 60_000);

it('forged keys cause one request a second at most, and no rejection of genuine ones', async ({
  given,
}) => {
  let now = Date.now();
  const one = given.deployed(() => now);
  await one.current();
  given.fetches = 0;

  for (let step = 0; step < 100; step += 1) {
    now += 100;
    const versions = Array.from({ length: 20 }, (_, at) => 2 + ((step * 20 + at) % 254));
    const found = await Promise.all(versions.map((version) => one.get(version)));
    expect(found.every((version) => version === undefined)).toBe(true);
  }

  expect(given.fetches).toBe(10);
  expect(await one.get(1)).toMatchObject({ version: 1 });
}, 60_000);

describe('with credentials of several versions', () => {
  it.beforeEach(({ given }) => writeKeyed(given));
  const there = ['--secret', arn, '--table', 'the-table'];

  it('status counts them', async ({ given }) => {
    const { code, stdout } = await given.rotate('status', ...there);

    const cells = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(code).toBe(0);
    expect(cells).toEqual([
      [
        'version',
        'state',
        'account keys',
        'API keys',
        'user keys',
        'sessions',
        'public links',
        'invitations',
        'push credentials',
      ],
      ['1', 'old', '1', '1', '1', '2', '0', '1', '0'],
      ['2', 'new keys use it', '1', '0', '0', '0', '1', '0', '0'],
      ['3', expect.stringMatching(/^new keys use it from 2/), '0', '0', '0', '0', '0', '0', '0'],
      [''],
    ]);
  }, 60_000);

  it('an old version is removed, and then functions reject its keys', async ({ given }) => {
    const done = await given.rotate('retire', '1', ...there, '--yes');

    expect(done).toEqual({
      code: 0,
      stderr: '',
      stdout: `Version 1 of the master secret of ${arn}: 1 account keys, 1 API keys, 1 user keys, 2 sessions, 1 invitations\nRemoved version 1\n`,
    });
    expect(await given.deployed().get(1)).toBeUndefined();
    expect((await given.deployed().current()).version).toBe(2);
  }, 60_000);

  it.for<[string, string[], number, string]>([
    ['the one that new keys use', ['2'], 1, 'version 2 cannot be removed: new keys use it\n'],
    [
      'the one that new keys will use',
      ['3'],
      1,
      'version 3 cannot be removed: new keys use it from',
    ],
    ['an unknown one', ['4'], 1, 'has no version 4\n'],
    ['no version', [], 2, 'say what to do: add, status, or retire and a version (see --help)\n'],
    ['a word', ['old'], 2, 'retire takes the number of a version (see --help)\n'],
  ])(
    'removing %s is rejected',
    { timeout: 60_000 },
    async ([_, version, code, reason], { given }) => {
      const result = await given.rotate('retire', ...version, ...there, '--yes');

      expect(result).toMatchObject({ code, stdout: '' });
      expect(result.stderr).toContain(reason);
      expect((await given.deployed().current()).version).toBe(2);
      expect(await given.deployed().get(3)).toBeDefined();
    },
  );
});

it('several at the same time lose no version', async ({ given }) => {
  const results = await Promise.all(
    [1, 2, 3].map(() => given.rotate('add', '--secret', arn, '--now')),
  );

  const added = results.filter(({ code }) => code === 0);
  expect(added.length).toBeGreaterThanOrEqual(1);
  expect((await given.deployed().current()).version).toBe(1 + added.length);
}, 60_000);

it.for<[string, string]>([
  ['read', 'secretsmanager:GetSecretValue'],
  ['write', 'secretsmanager:PutSecretValue'],
  ['make it the current one', 'secretsmanager:UpdateSecretVersionStage'],
])(
  'a caller who may not %s it gets that error, and nothing changes',
  { timeout: 60_000 },
  async ([_, action], { given }) => {
    given.denied = [action];

    const result = await given.rotate('add', '--secret', arn);
    given.denied = [];

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(new RegExp(`^rotate: .*${action}`));
    expect((await given.deployed().current()).version).toBe(1);
  },
);

it('an invalid ARN is rejected', async ({ given }) => {
  expect(await given.rotate('add', '--secret', 'Groundwork-prod')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'rotate: --secret takes an ARN (see --help)\n',
  });
}, 60_000);

type Given = Awaited<ReturnType<typeof setUp>>;

/** The secret and the table of a deployment, and the command of its operator. */
async function setUp(bundle: string) {
  const given = { denied: [] as readonly string[], fetches: 0 };
  const aws = await startFakeAws({
    secret: first,
    allows: ({ action, resource }) => {
      if (action === 'secretsmanager:GetSecretValue') given.fetches += 1;
      return [arn, 'the-table'].includes(resource) && !given.denied.includes(action);
    },
  });
  return Object.assign(given, { aws, rotate, deployed });

  async function rotate(...args: readonly string[]) {
    const env = {
      ...process.env,
      AWS_ENDPOINT_URL: aws.url,
      ...operator,
    };
    try {
      return {
        code: 0,
        ...(await run(process.execPath, [bundle, ...args], { cwd: project, env })),
      };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  }

  /** Returns the versions that a new function loads, or one that has another time. */
  function deployed(nowMs = Date.now) {
    const client = new SecretsManagerClient({
      region: 'eu-west-1',
      endpoint: aws.url,
      credentials: { accessKeyId: 'a function', secretAccessKey: 'secret' },
    });
    return openSecrets({ client, secret: arn, nowMs });
  }
}

/** Stores credentials of two versions, and adds these. */
async function writeKeyed(given: Given): Promise<void> {
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    endpoint: given.aws.url,
    credentials: { accessKeyId: 'a function', secretAccessKey: 'secret' },
  });
  const store = openStore({ client, table: 'the-table', now: Date.now });
  const keyed = (secret_version: number) => ({ secret_version, generation: 1 });
  const puts = [
    [accountEntity.kind, accountEntity.key(1), keyed(1)],
    [accountEntity.kind, accountEntity.key(2), keyed(2)],
    [apiKeyEntity.kind, apiKeyEntity.key(5, 1), keyed(1)],
    [userEntity.kind, userEntity.key(5, 1), keyed(1)],
    [sessionEntity.kind, sessionEntity.key(5, 1, 1), keyed(1)],
    [sessionEntity.kind, sessionEntity.key(5, 1, 2), keyed(1)],
    [scriptEndpointEntity.kind, scriptEndpointEntity.key(5, 'one'), keyed(2)],
    [invitationEntity.kind, invitationEntity.key(5, 1), keyed(1)],
    ['other', { pk: 'OTHER', sk: '1' }, keyed(1)],
  ] as const;
  for (const [kind, key, data] of puts) {
    await store.write({
      id: 'a',
      change: { actor: {}, cause: 'client', depth: 0 },
      writes: [{ action: 'put', key, kind, data, condition: { kind: 'none' } }],
    });
  }
  await store.close();
  await given.rotate('add', '--secret', arn, '--now');
  await given.rotate('add', '--secret', arn);
}
