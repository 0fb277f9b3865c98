import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { machine } from '../../scripts/python-hosts.ts';
import { type Assembly, synthesiseWithAssets } from './assembly.ts';
import { type Account, type DeployedStack, openAccount } from './deployed-stack.ts';

/*
 * A first deployment from beginning to end: preflight, synthesis with the options that it prints, the stack, and the
 * smoke test. The programs are those that an operator runs.
 */

const run = promisify(execFile);

/** Runs a program of package.json; returns its output and exit code, which is null after the time limit. */
async function npmRun(account: Account, ...args: readonly string[]) {
  const { endpoint, region, credentials } = account.place;
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const done = await run('npm', ['run', '--silent', ...args], { env, timeout: 100_000 }).catch(
    (error) => error,
  );
  return { lines: String(done.stdout).trim().split('\n'), status: 'code' in done ? done.code : 0 };
}

const accounts = [
  {
    name: 'an established account',
    account: { executions: 1000, hasDistribution: true },
    problems: [],
    options: {},
  },
  {
    name: 'a new account',
    account: { executions: 10, hasDistribution: false },
    problems: [
      expect.stringMatching(/^warning {2}Lambda: only 10 functions may run at once/),
      expect.stringMatching(/^warning {2}Lambda: .* deploy with -c concurrency=10$/),
      expect.stringMatching(/^error {4}CloudFront: .* deploy with -c cdn=false,/),
    ],
    options: { concurrency: '10', cdn: 'false' },
  },
];

describe.each(accounts)('$name', ({ account: what, problems, options }) => {
  let account: Account;
  let assembly: Assembly;
  let stack: DeployedStack | undefined;

  beforeAll(async () => {
    account = await openAccount(what);
  });
  afterAll(() => account.close());

  test('preflight prints the options to deploy with, and has no error with them', async () => {
    const before = await npmRun(account, 'preflight');
    const found = before.lines.filter((line) => !line.startsWith('ok '));
    const printed = found.flatMap((line) => [...line.matchAll(/-c (\w+)=([\w.-]+)/g)]);
    const advised = Object.fromEntries(printed.map(([, name, value]) => [name, value]));
    const flags = Object.entries(advised).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

    const after = await npmRun(account, 'preflight', '--', ...flags);

    expect({ found, advised }).toEqual({ found: problems, advised: options });
    expect([before.status, after.status]).toEqual([problems.length > 0 ? 1 : 0, 0]);
    assembly = synthesiseWithAssets(advised);
  }, 180_000);

  test('CloudFormation creates the stack, whose functions are then known to preflight', async () => {
    stack = await account.deploy(assembly);

    const { lines } = await npmRun(account, 'preflight', '--', '-c', 'cdn=false');
    expect(lines).toContain('ok       stack: Groundwork-prod is CREATE_COMPLETE: it is updated');
    expect(lines).toContain('ok       old functions: none');
    expect(stack.created.outputs.Url).toMatch(/^https:/);
  });

  test.skipIf(machine === undefined)('the smoke test passes on it', async () => {
    const { url = '', created } = stack ?? {};
    const [, , , , , secret = ''] = created?.outputs.SetUpCode?.split(' ') ?? [];
    const {
      lines: [code = ''],
    } = await npmRun(account, 'set-up-code', secret);

    const { lines, status } = await npmRun(account, 'smoke', '--', url, code);

    const failed = lines.filter((line) => /^error/.test(line));
    expect({ failed, status }, lines.join('\n')).toEqual({ failed: [], status: 0 });
  });

  test('no function failed, and the account never had too few executions', async () => {
    const log = (await stack?.stop()) ?? '';
    const entries = log
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

    expect(entries.filter(({ level }) => /error/i.test(level))).toEqual([]);
    expect(stack?.seen).toMatchObject({ rejected: 0 });
  });
});
