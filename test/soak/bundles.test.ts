import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { api, routes } from '../../functions/api.ts';
import { jobTypes } from '../../functions/jobs.ts';
import { downloads } from '../../lib/files/file-downloads.ts';
import { fallbackFamily, wholeMap } from '../../lib/grants.ts';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { bundleAssets } from '../../shared/core/pages/bundle-assets.mjs';
import { createRouter } from '../../shared/core/routing/router.ts';
import { keyText } from '../../shared/values/keys/credentials.ts';
import { type Access, type FakeAws, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { createFakeLambda } from '../aws-emulator/fake-lambda.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { bodyOf, type Lambda, startLambda } from '../aws-emulator/lambda.ts';
import { isGranted } from '../aws-emulator/policies.ts';
import { fillBody, journey } from '../support/journey.ts';
import { loadedBytes } from '../support/loaded-bytes.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions } from '../support/template.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwork-bundles-'));
const bundleOf = (family: string) => join(folder, family, bundleFile);
const families = api.map(({ name }) => name);
const template = synthesise({ passwordCost: '10', mailFrom: 'no-reply@example.com' });
const deployed = new Map(deployedFunctions(template).map((each) => [each.family, each]));
const secret = '5e'.repeat(32);

/** Of which sessions, settings of users and private files take 10 to 30 kB, and the kinds of items 5. */
const maxBytes = 520_000;
const otherLimits: Readonly<Record<string, number>> = {
  [wholeMap]: 485_000, // its families are loaded later
  'user-accounts': 540_000, // it has the tokens, and all that makes and deletes users
};
const functions = [...families, 'background', 'script-runs', downloads];

beforeAll(() => {
  for (const name of functions) bundleHandler(name, join(folder, name));
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

test.each(functions)('the bundle of %s is small', (family) => {
  const files = new Set<string>();

  const size = loadedBytes(bundleOf(family), files);

  process.stdout.write(`bundle of ${family}: ${size} bytes\n`);
  expect(size).toBeLessThan(otherLimits[family] ?? maxBytes);
  expect(files.size).toBe(2); // the handler, and everything else
});

test.each([
  ['api-keys', 'classes'],
  ['account', 'objects'],
  ['usage', 'instances'], // that of root knows the paths of all
])('the bundle of %s does not contain %s', (family, other) => {
  const names = api
    .filter(({ name }) => name === other)
    .flatMap(({ routes }) => routes.map(({ paths }) => paths['v1.1'] ?? ''));

  const text = textOf(family);

  expect(names.filter((path) => path.length > 12 && text.includes(path))).toEqual([]);
});

test('the bundle of background has the jobs of all families', () => {
  const text = textOf('background');

  const absent = jobTypes.map(({ name }) => name).filter((name) => !text.includes(`"${name}"`));
  expect(absent).toEqual([]);
});

/** Returns the text of all files of a bundle. */
function textOf(family: string): string {
  const files = readdirSync(join(folder, family)).filter((name) => name.endsWith('.mjs'));
  return files.map((name) => readFileSync(join(folder, family, name), 'utf8')).join();
}

/** A deployment: every function in a process of its own, on a table that checks their roles. */
interface Deployment {
  readonly aws: FakeAws;
  readonly functions: ReadonlyMap<string, Lambda>;
  /** Stops all functions; returns their log output. */
  close(): Promise<string>;
}

async function deploy(node: string, allows = isAllowed): Promise<Deployment> {
  const invoke = async (name: string, event: unknown) => {
    const [family = ''] = families.filter((each) => name.endsWith(`groundwork-prod-${each}`));
    return running.get(family)?.invoke(event as object); // of the function that forwards it
  };
  const lambda = createFakeLambda(invoke);
  const aws = await startFakeAws({ secret, allows, lambda });
  const functions = await Promise.all(
    families.map(async (family): Promise<[string, Lambda]> => {
      const variables = {
        ...deployed.get(family)?.variables,
        AWS_REGION: 'eu-west-1',
        AWS_ENDPOINT_URL: aws.url,
        AWS_ACCESS_KEY_ID: family, // the fake identifies the role by it
        AWS_SECRET_ACCESS_KEY: 'secret',
        AWS_SESSION_TOKEN: 'token',
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      };
      return [family, await startLambda(node, bundleOf(family), variables)];
    }),
  );
  const running: ReadonlyMap<string, Lambda> = new Map(functions);
  return {
    aws,
    functions: running,
    close: async () => {
      const logs = await Promise.all(functions.map(([, each]) => each.close()));
      await aws.close();
      return logs.join('');
    },
  };
}

/** Statements of the template's policies. */
function isAllowed(access: Access): boolean {
  return isGranted(deployed.get(access.caller)?.statements ?? [], access);
}

const router = createRouter(routes);

/** Returns the family of a path. */
function ownFamily(path: string): string {
  return router(path)?.route.family ?? wholeMap;
}

const node24 = process.env.GROUNDWORK_TEST_NODE;
const programs = [
  { name: `Node ${process.versions.node}`, node: process.execPath },
  ...(node24 === undefined ? [] : [{ name: 'the Node of GROUNDWORK_TEST_NODE', node: node24 }]),
];

test.skipIf(node24 !== undefined)(
  'the Node of Lambda: set GROUNDWORK_TEST_NODE to test it',
  (t) => {
    t.skip();
  },
);

describe.each(programs)('on $name', ({ node }) => {
  describe.each([
    { name: 'each function serves its own family', functionOf: ownFamily },
    { name: 'one function serves the whole map', functionOf: () => wholeMap },
    { name: 'requests match no path of the gateway', functionOf: () => fallbackFamily },
  ])('$name', ({ functionOf }) => {
    let deployment: Deployment;
    const keys: Record<string, string> = {};
    let scan: string | undefined;

    beforeAll(async () => {
      deployment = await deploy(node);
    }, 300_000);

    afterAll(() => deployment.close());

    test.each(journey)(
      '$call returns $status',
      async ({ call, as, query, body, status, answer: response }) => {
        const [method = '', path = ''] = call.split(' ');
        const event = clientEvent({
          method,
          path,
          ...(query === undefined ? {} : { query }),
          key: as && keys[as],
          body: fillBody(body, { code: setUp, scan }),
        });

        const result = await deployment.functions.get(functionOf(path))?.invoke(event);

        if (result === undefined) throw new Error(`no function of ${functionOf(path)}`);
        const answered = bodyOf(result);
        expect({ status: result.statusCode, body: answered }).toEqual({
          status,
          body: response ?? answered,
        });
        expect(result.headers['x-request-id']).toBe('Bq3xYgJkDoEEPbQ=');
        keys.owner ??= answered?.account_key;
        keys.app ??= answered?.api_key;
        scan ??= answered?.scan?.value;
      },
    );

    test('a browser gets a page, whose code is loaded then', async () => {
      const event = clientEvent({ method: 'GET', path: '/v1.1/' });
      const headers = { ...event.headers, accept: 'text/html' };

      const result = await deployment.functions
        .get(functionOf('/v1.1/'))
        ?.invoke({ ...event, headers });

      expect(result?.statusCode).toBe(200);
      expect(result?.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(result?.headers['content-security-policy']).toContain("default-src 'none'");
      const page = result && bodyOf(result);
      const { assets } = bundleAssets();
      expect(page).toContain(`<style>${assets.style}</style>`);
      expect(page).toContain(`<script>${assets.script}</script>`);
    });

    test('all roles were sufficient', () => {
      expect(deployment.aws.refused).toEqual([]);
    });

    test('mails were sent', () => {
      const sent = deployment.aws.mails.map((mail) => Object(mail).Destination.ToAddresses);
      const [owner, guest] = [['a@example.com'], ['b@example.com']];

      expect(sent).toEqual([owner, guest, guest, owner]);
    });

    test('every request is one line of the log, without keys', async () => {
      const logs = await deployment.close();
      expect(deployment.aws.refused).toEqual([]); // of their writes at their end

      const lines = logs
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines).toHaveLength(journey.length + 1);
      const { memoryMb, memoryLimitMb, ...line } = lines.find(({ path }) => path === '/'); // in one line a minute
      expect(typeof memoryMb).toBe(typeof memoryLimitMb);
      expect(line).toEqual({
        timestamp: expect.any(String),
        level: 'INFO',
        message: 'request',
        requestId: 'Bq3xYgJkDoEEPbQ=',
        method: expect.any(String),
        path: '/',
        route: '/',
        status: expect.any(Number),
        durationMs: expect.any(Number),
        scope: 'all',
        family: expect.any(String),
        tableRequests: expect.any(Number),
        _aws: { Timestamp: expect.any(Number), CloudWatchMetrics: [expect.anything()] },
      });
      for (const key of Object.values(keys)) expect(logs).not.toContain(key);
    });
  });

  test('downloads starts, and redirects to S3', async () => {
    const withoutCdn = deployedFunctions(synthesise({ cdn: 'false' }));
    const own = withoutCdn.find(({ family }) => family === downloads);
    const lambda = await startLambda(node, bundleOf(downloads), {
      ...own?.variables,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: downloads,
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    });

    const path = `/files/1/2/${'5e'.repeat(20)}.png`;
    const { statusCode, headers } = await lambda.invoke(clientEvent({ method: 'GET', path }));
    await lambda.close();

    expect([statusCode, headers.location]).toEqual([
      302,
      expect.stringMatching(/\/public\/1\/2\/(5e){20}\.png\?.*X-Amz-Signature=/),
    ]);
  });
});

describe('the function with the whole map, whose families are loaded at their first request', () => {
  let deployment: Deployment;
  let key: string | undefined;

  beforeAll(async () => {
    deployment = await deploy(process.execPath);
    const body = { email: 'a@example.com', password: 'secret', invitation_key: setUp };
    key = (await send('POST', '/v1.1/account/register/', body, 'account')).body.account_key;
    await send('POST', '/v1.1/instances/', { name: 'my-news' }, 'instances');
    await send('POST', `${base}classes/`, { name: 'post', schema: [] }, 'classes');
  }, 120_000);

  afterAll(() => deployment.close());

  const base = '/v1.1/instances/my-news/';

  async function send(method: string, path: string, body?: unknown, family = wholeMap) {
    const event = clientEvent({ method, path, key, body });
    const result = await deployment.functions.get(family)?.invoke(event);
    if (result === undefined) throw new Error(`no function of ${family}`);
    return { status: result.statusCode, headers: result.headers, body: bodyOf(result) };
  }

  const allow = 'GET, POST, HEAD, OPTIONS';

  // no family is loaded before its row
  test.each([
    { path: '/v1.1/nothing/', status: 404, code: 'path_unknown' },
    { path: `${base}schedules`, status: 404, code: 'no_trailing_slash' },
    { method: 'PATCH', path: `${base}groups/`, status: 405, code: 'method_not_allowed', allow },
    { method: 'OPTIONS', path: `${base}triggers/`, status: 200, allow },
  ])('responds to $path with $status', async ({ method = 'GET', path, ...expected }) => {
    const { status, headers } = await send(method, path);

    expect({ status, code: headers['x-error-code'], allow: headers.allow }).toEqual(expected);
  });

  test('runs a batch of several families', async () => {
    const requests = [
      { method: 'POST', path: `${base}classes/post/objects/`, body: {} },
      { method: 'GET', path: `${base}classes/post/objects/?fields=id` },
      { method: 'GET', path: `${base}api_keys/` },
      { method: 'GET', path: `${base}snippets/scripts/` },
      { method: 'GET', path: `${base}nothing/` },
      { method: 'DELETE', path: `${base}classes/` },
    ];

    const { status, body } = await send('POST', `${base}batch/`, { requests });

    expect(status).toBe(200);
    const empty = { next: null, prev: null, objects: [] };
    expect(body).toEqual([
      { code: 201, content: expect.objectContaining({ id: 1 }) },
      { code: 200, content: { ...empty, objects: [{ id: 1 }] } },
      { code: 200, content: empty },
      { code: 200, content: empty },
      { code: 404, content: { detail: 'Invalid endpoint specified.' } },
      { code: 405, content: { detail: 'Method "DELETE" not allowed.' } },
    ]);
  });
});

test('the documents in the bundle of schema are those of the whole map', async () => {
  const deployment = await deploy(process.execPath);
  const documentOf = async (family: string, path: string, query: string) => {
    const event = clientEvent({ method: 'GET', path, query });
    const result = await deployment.functions.get(family)?.invoke(event);
    return result && { status: result.statusCode, body: bodyOf(result) };
  };
  for (const path of ['/v1/schema/', '/v1.1/schema/']) {
    for (const query of ['', 'format=openapi']) {
      const built = await documentOf('schema', path, query);
      const made = await documentOf(wholeMap, path, query);

      expect(built?.status).toBe(200);
      expect(built).toEqual(made);
    }
  }
  await deployment.close();
});

test('a function with missing permissions is detected', async () => {
  const deployment = await deploy(
    process.execPath,
    (access) => isAllowed(access) && !(access.caller === 'account' && /Put/.test(access.action)),
  );
  const body = { email: 'a@example.com', password: 'x', invitation_key: setUp };

  const event = clientEvent({ method: 'POST', path: '/v1.1/account/register/', body });
  const result = await deployment.functions.get('account')?.invoke(event);

  expect(result?.statusCode).toBe(500);
  expect(deployment.aws.refused).toEqual([
    {
      caller: 'account',
      action: 'dynamodb:PutItem',
      resource: expect.stringMatching(/^DataTable/),
      partition: 'EMAIL#a@example.com',
    },
  ]);
  await deployment.close();
});

const setUp = keyText(
  { kind: 'setUp', version: 1, scope: 0, record: 0, generation: 1 },
  Buffer.from(secret, 'hex'),
);
