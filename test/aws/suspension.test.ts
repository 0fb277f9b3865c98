import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../shared/platform/aws/store/store.ts';
import { openIds } from '../../shared/platform/ids.ts';
import { instanceEntity, instanceNameEntity } from '../../shared/store/entities.ts';
import { createItem } from '../../shared/store/writes.ts';
import { type FakeAws, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { bundleProgram } from '../support/bundled-program.ts';

/* The command that stops a tenant of a deployment, as an operator runs it. */

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'groundwork-suspension-'));
afterAll(() => rmSync(root, { recursive: true }));
const bundle = bundleProgram('operator/suspension', root);

let aws: FakeAws;
let store: ReturnType<typeof openStore>;

beforeEach(async () => {
  aws = await startFakeAws({ secret: '5e'.repeat(32), allows: () => true });
  const credentials = { accessKeyId: 'a function', secretAccessKey: 'secret' };
  const client = new DynamoDBClient({ region: 'eu-west-1', endpoint: aws.url, credentials });
  store = openStore({ table: 'the-table', client, now: Date.now });
  const now = new Date().toISOString();
  const record = {
    id: 7,
    name: 'shop',
    description: '',
    owner: 1,
    created_at: now,
    updated_at: now,
  };
  await store.write({
    id: openIds().random(),
    change: { actor: {}, cause: 'maintenance', depth: 0 },
    writes: [
      createItem(instanceNameEntity, instanceNameEntity.key('shop'), { instance: 7, owner: 1 }),
      createItem(instanceEntity, instanceEntity.key(7), record),
    ],
  });
});
afterEach(async () => {
  await store.close();
  await aws.close();
});

async function suspension(...args: readonly string[]) {
  const env = {
    ...process.env,
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL: aws.url,
    AWS_ACCESS_KEY_ID: 'an operator',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const all = [bundle, ...args, '--table', 'the-table'];
  try {
    return { code: 0, ...(await run(process.execPath, all, { cwd: project, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const stored = async () => [
  (await instanceNameEntity.read(store, 'shop'))?.data.suspension?.reason,
  (await instanceEntity.read(store, 7))?.data.suspension?.reason,
];

test('an instance is suspended in both of its records, listed, and resumed', async () => {
  const suspended = await suspension('suspend', 'shop', '--reason', 'spam');
  expect([suspended.code, suspended.stdout, await stored()]).toEqual([
    0,
    'shop is suspended\n',
    ['spam', 'spam'],
  ]);
  expect((await suspension('list')).stdout).toMatch(/^shop +\S+ +spam$/m);

  expect((await suspension('resume', 'shop')).code).toBe(0);
  expect(await stored()).toEqual([undefined, undefined]);
  expect((await suspension('list')).stdout).toBe('no instance is suspended\n');
});

test.each([
  [['suspend', 'nowhere'], 1, 'there is no instance nowhere'],
  [['resume', 'shop'], 1, 'shop is not suspended'],
  [['suspend'], 2, 'say what to do'],
  [['stop', 'shop'], 2, 'say what to do'],
  [['suspend', 'shop', '--data', 'x'], 2, 'exclude each other'],
])('%o is rejected', async (args, code, message) => {
  expect(await suspension(...args)).toMatchObject({
    code,
    stderr: expect.stringContaining(message),
  });
  expect(await stored()).toEqual([undefined, undefined]);
});
