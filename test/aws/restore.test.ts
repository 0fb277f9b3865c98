import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { stackVariables, toVariables } from '../../shared/platforms/aws/settings.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import { openStore } from '../../shared/platforms/aws/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { dataVersion } from '../../shared/table/data-version.ts';
import { dataVersionEntity } from '../../shared/table/entities/deployment.ts';
import { type FakeAws, startFakeAws } from '../aws-emulator/fake-aws.ts';
import { createFakeLambda, type FakeLambda } from '../aws-emulator/fake-lambda.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { bodyOf, type Lambda, startLambda } from '../aws-emulator/lambda.ts';
import { isGranted } from '../aws-emulator/policies.ts';
import { openStream, type Stream } from '../aws-emulator/stream.ts';
import { adoptedContext } from '../stack/adopted-context.ts';
import { write } from '../store/fixture.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { synthesise } from '../support/stack.ts';
import { type DeployedFunction, deployedFunctions } from '../support/template.ts';

/*
 * A rehearsal of docs/guides/restoring.md#on-aws: a deployment is used, its table is restored to an earlier moment under
 * another name, and a stack that adopts the restored table takes over. Its functions run under the roles of its template.
 */

const run = promisify(execFile);
const families = ['batch', 'background', 'script-runs']; // the first serves the whole map
const { tableArn, secretArn, bucket } = adoptedContext;
const restored = 'restored'; // as in its ARN
const isScriptFunction = /^groundwork-prod-scr-[0-9a-f]{24}$/;
const operator = { accessKeyId: 'operator', secretAccessKey: 'secret' };
const settings = { registration: 'open', passwordCost: '10' };

// biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
const it = test.extend('given', { scope: 'file' }, async ({}, { onCleanup }) => {
  const given = await setUp();
  onCleanup(() => close(given));
  return given;
});

const library = 'instances/library/';

it('a stack that adopts a restored table serves it, with all keys and none of the lost data', async ({
  given,
}) => {
  const { owner, apiKey, userKey, link } = await fill(given);
  expect(await greet(given, link)).toBe('before');
  const table = given.old.functions.get('batch')?.variables.GROUNDWORK_TABLE ?? '';
  await quiet(given);
  given.aws.restoreTable(table, restored);
  await send(given, 'POST', `${library}classes/book/objects/`, owner, { title: 'lost' });
  await send(given, 'PATCH', `${library}snippets/scripts/1/`, owner, script('lost'));
  expect(await greet(given, link)).toBe('lost');
  const { api_key: lostKey } = await send(given, 'POST', `${library}api_keys/`, owner, {});
  await quiet(given);
  const functions = await scriptFunctions(given);

  await addSecretVersion(given);
  given.current = given.adopting;

  const user = { apiKey, userKey };
  expect(await Promise.all([owner, apiKey, user].map((as) => titles(given, as)))).toEqual([
    ['kept'],
    ['kept'],
    ['kept'],
  ]);
  const byTitle = `${library}classes/book/objects/?query=${encodeURIComponent('{"title":{"_eq":"kept"}}')}`;
  expect((await send(given, 'GET', byTitle, owner)).objects).toHaveLength(1);
  const login = { username: 'bob', password: 'secret' };
  expect((await send(given, 'POST', `${library}user/auth/`, apiKey, login)).user_key).toBe(userKey);
  expect(await greet(given, link)).toBe('before'); // the function of the lost data would print `lost`
  const { api_key: newKey } = await send(given, 'POST', `${library}api_keys/`, owner, {
    ignore_acl: true,
  });
  expect(newKey.slice(2, 4)).toBe('02'); // the version of the secret
  expect(await titles(given, newKey)).toEqual(['kept']);
  await expect(titles(given, lostKey)).rejects.toThrow(/: 403 /); // its id is that of the new key
  await send(given, 'PATCH', `${library}snippets/scripts/1/`, owner, script('after'));
  await quiet(given);
  expect(await greet(given, link)).toBe('after');
  expect(functions).toHaveLength(1);
  expect(await scriptFunctions(given)).toEqual([
    ...functions,
    expect.stringMatching(isScriptFunction),
  ]);
  expect(given.aws.refused).toEqual([]);
});

it('functions that are older than the data respond with 503, and change nothing', async ({
  given,
}) => {
  const store = openStore({
    table: restored,
    client: createClient({ region: 'eu-west-1', endpoint: given.aws.url, credentials: operator }),
    now: Date.now,
  });
  const version = { version: dataVersion + 1 };
  await write(store, putItem(dataVersionEntity, dataVersionEntity.key(), version));
  given.current = given.downgraded;
  const batch = await processOf(given, 'batch');
  const path = `/v1.1/${library}`;

  const results = [1, 2].map(() => batch.invoke(clientEvent({ method: 'GET', path })));

  for (const result of await Promise.all(results)) {
    expect([result.statusCode, bodyOf(result)]).toEqual([
      503,
      { detail: 'The data of this server are of a newer version of its software.' },
    ]);
  }
  const background = await processOf(given, 'background');
  await expect(background.invoke({}, { leftMs: 300_000 })).rejects.toThrow('data version 2');
  const errors = (await batch.close()).split('\n').filter((line) => line.includes('"ERROR"'));
  expect(errors).toHaveLength(1);
  await store.close();
});

/** A deployment: its functions by family, and a process of each that was used. */
interface Deployment {
  readonly name: string;
  readonly functions: ReadonlyMap<string, DeployedFunction>;
  readonly processes: Map<string, Promise<Lambda>>;
}

interface Given {
  readonly folder: string;
  readonly aws: FakeAws;
  readonly lambda: FakeLambda;
  readonly stream: Stream;
  readonly old: Deployment;
  readonly adopting: Deployment;
  readonly downgraded: Deployment;
  current: Deployment;
}

async function setUp(): Promise<Given> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-restore-'));
  for (const family of families) bundleHandler(family, join(folder, family));
  const old = open('old', settings);
  const adopting = open('new', { ...settings, ...adoptedContext });
  const downgraded = open('downgraded', { ...settings, ...adoptedContext });
  const stream = openStream(async (Records) => {
    await (await processOf(given, 'background')).invoke({ Records }, { leftMs: 300_000 });
  });
  const lambda = createFakeLambda((name, event) => {
    const own = families.find(
      (each) => given.current.functions.get(each)?.properties.FunctionName === name,
    );
    if (own === undefined) return undefined;
    return processOf(given, own).then((each) => each.invoke(event as object, { leftMs: 330_000 }));
  });
  const aws = await startFakeAws({
    secret: '5e'.repeat(32),
    lambda,
    stream: stream.hear,
    allows: ({ caller, ...access }) =>
      caller === operator.accessKeyId ||
      isGranted(statementsOf([old, adopting, downgraded], caller), access),
  });
  const given = { folder, aws, lambda, stream, old, adopting, downgraded, current: old };
  return given;
}

async function close(given: Given): Promise<void> {
  await quiet(given);
  for (const { processes } of [given.old, given.adopting, given.downgraded]) {
    for (const each of processes.values()) await (await each).close();
  }
  await given.lambda.close();
  await given.aws.close();
  rmSync(given.folder, { recursive: true });
}

function open(name: string, context: Readonly<Record<string, string>>): Deployment {
  const all = deployedFunctions(synthesise(context)).map((each) => [each.family, each] as const);
  return { name, functions: new Map(all), processes: new Map() };
}

/** Returns the statements of a role, which names the table and the bucket as requests do: without the rest of the ARN. */
function statementsOf(deployments: readonly Deployment[], caller: string) {
  const [name, family = ''] = caller.split(':');
  const deployment = deployments.find((each) => each.name === name);
  return (deployment?.functions.get(family)?.statements ?? []).map(({ resources, ...rest }) => ({
    ...rest,
    resources: resources.map((each) =>
      each.replace(tableArn, restored).replace(`arn:AWS::Partition:s3:::${bucket}`, bucket),
    ),
  }));
}

/** Returns the process of a function of the current deployment. */
function processOf({ current, folder, aws }: Given, family: string): Promise<Lambda> {
  const { name, functions, processes } = current;
  const variables = functions.get(family)?.variables ?? {};
  const queue = variables[stackVariables.wakeUps.variable];
  const found =
    processes.get(family) ??
    startLambda(process.execPath, join(folder, family, bundleFile), {
      ...variables,
      GROUNDWORK_API_URL: 'https://api.example.com',
      ...(queue !== undefined && toVariables({ wakeUps: `${aws.url}/${queue}` })),
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: aws.url,
      AWS_ACCESS_KEY_ID: `${name}:${family}`, // the fake identifies the role by it
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    });
  processes.set(family, found);
  return found;
}

/** A key, or the key of an app with that of its user. */
type Credentials = string | { readonly apiKey: string; readonly userKey: string } | undefined;

/** Sends a request to the current deployment; returns the body of the response. */
async function send(given: Given, method: string, target: string, as?: Credentials, body?: object) {
  const { apiKey, userKey } = typeof as === 'object' ? as : { apiKey: as };
  const { pathname: path, search } = new URL(`/v1.1/${target}`, 'https://api.example.com');
  const event = clientEvent({ method, path, query: search.slice(1), key: apiKey, body });
  const headers = { ...event.headers, ...(userKey && { 'x-user-key': userKey }) };
  const result = await (await processOf(given, 'batch')).invoke({ ...event, headers });
  const response = bodyOf(result);
  if (result.statusCode >= 300) {
    throw new Error(`${method} ${path}: ${result.statusCode} ${JSON.stringify(response)}`);
  }
  return response;
}

/** Creates one of everything that has a key, and a script that prints a text. */
async function fill(given: Given) {
  const account = { email: 'ada@example.com', password: 'secret' };
  const { account_key: owner } = await send(given, 'POST', 'account/register/', undefined, account);
  await send(given, 'POST', 'instances/', owner, { name: 'library' });
  await send(given, 'POST', `${library}classes/`, owner, {
    name: 'book',
    schema: [{ name: 'title', type: 'string', filter_index: true }],
  });
  const { api_key: apiKey } = await send(given, 'POST', `${library}api_keys/`, owner, {
    allow_user_create: true,
    ignore_acl: true,
  });
  const user = { username: 'bob', password: 'secret' };
  const { user_key: userKey } = await send(given, 'POST', `${library}users/`, apiKey, user);
  await send(given, 'POST', `${library}snippets/scripts/`, owner, script('before'));
  const endpoint = { name: 'greet', script: 1, public: true };
  const { public_link: link } = await send(
    given,
    'POST',
    `${library}endpoints/scripts/`,
    owner,
    endpoint,
  );
  await send(given, 'POST', `${library}classes/book/objects/`, owner, { title: 'kept' });
  return { owner, apiKey, userKey, link };
}

function script(text: string) {
  return { runtime_name: 'nodejs_v8', source: `console.log('${text}');` };
}

/** Runs the script by its public link; returns its output. */
async function greet(given: Given, link: string): Promise<string> {
  const { result } = await send(given, 'GET', `${library}endpoints/scripts/p/${link}/greet/`);
  return result.stdout;
}

/** Returns the names of all functions of scripts. */
async function scriptFunctions({ lambda }: Given): Promise<readonly string[]> {
  const { body } = await lambda.answer({
    operation: 'ListFunctions',
    name: '',
    marker: '',
    invocation: '',
    input: {},
  });
  return JSON.parse(body).Functions.map(
    ({ FunctionName }: { FunctionName: string }) => FunctionName,
  );
}

/** Resolves when all that follows from earlier requests is done. */
async function quiet({ stream, lambda }: Given): Promise<void> {
  await stream.idle();
  await lambda.idle();
}

/** Adds a version to the master secret, by the command of the guide. */
async function addSecretVersion({ folder, aws }: Given): Promise<void> {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: aws.url,
    AWS_ACCESS_KEY_ID: operator.accessKeyId,
    AWS_SECRET_ACCESS_KEY: operator.secretAccessKey,
  };
  const program = bundleProgram('rotate', programs);
  await run(process.execPath, [program, 'add', '--now', '--secret', secretArn], { env });
}

/** Returns the titles of all books. */
async function titles(given: Given, as: Credentials): Promise<readonly string[]> {
  const { objects } = await send(given, 'GET', `${library}classes/book/objects/`, as);
  return objects.map(({ title }: { readonly title: string }) => title);
}
