import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeError } from '../../bin/groundwork/errors/describe-error.ts';
import { ResponseError } from '../../shared/clients/client.ts';
import { startApi } from '../support/api.ts';
import { commandsFor, needServer, runHere } from './every-command.ts';
import { openProject } from './groundwork.ts';
import { startHttpServer } from './http-server.ts';

/* Commands say what is wrong in words: the request, its status and its JSON are shown with --verbose. */

const commands = commandsFor('hello');
const requestLine = /\b(GET|POST|PUT|PATCH|DELETE) \/\S*/;

const responses: Readonly<Record<string, readonly [status: number, body: string]>> = {
  'wrong fields': [400, '{"title":["Not a valid string."],"config":{"timeout":["Too long."]}}'],
  'a wrong password': [401, '{"detail":"Invalid password."}'],
  'no right': [403, '{"detail":"You do not have permission to perform this action."}'],
  'nothing there': [404, '{"detail":"Not found."}'],
  'too many requests': [429, '{"detail":"Request was throttled."}'],
  'a page of a proxy': [502, '<html><h1>Bad Gateway</h1></html>'],
};

/** Starts a server that responds to all requests with an error. */
function startFailing(name: string): Promise<string> {
  const [status, body] = responses[name] ?? [500, ''];
  return startHttpServer((asked, response) => {
    asked.resume();
    if (asked.url === '/v1.1/') response.end('{"links":{}}');
    else response.writeHead(status).end(body);
  });
}

function projectFolder(): string {
  const { folder } = openProject();
  mkdirSync(join(folder, 'scripts'));
  writeFileSync(join(folder, 'scripts/x.js'), 'console.log(1);');
  writeFileSync(join(folder, 'groundwork.yml'), 'scripts: { x: { file: scripts/x.js } }\n');
  writeFileSync(join(folder, 'books.csv'), 'title\nEmma\n');
  return folder;
}

afterEach(() => vi.unstubAllEnvs());

const cases = Object.keys(responses).flatMap((response) =>
  [...needServer].filter((name) => name !== 'open').map((name) => [name, response] as const),
);

test.each(cases)('%s says in words that the server responds with %s', async (name, response) => {
  const args = commands[name]?.args ?? [];
  const url = await startFailing(response);
  const account = args.includes('--email') ? [] : ['--key', 'k'];
  const instance = name === 'login' ? [] : ['--instance', 'library'];
  const all = [name, ...args, '--url', url, ...account, ...instance];

  const text = await runHere(projectFolder(), all);
  const verbose = await runHere(projectFolder(), [...all, '--verbose']);
  const json = await runHere(projectFolder(), [...all, '--json']);

  const [status] = responses[response] ?? [];
  expect(text).not.toMatch(requestLine);
  expect(text).not.toMatch(/[{<]|\[object/);
  expect(text).toMatch(/^(groundwork: |Checking |Console: )\S.+\n$/s);
  expect(verbose).toMatch(requestLine);
  expect(verbose).toContain(`: ${status} `);
  expect(json).toMatch(/"request": ?\{\s*"method": ?"(GET|POST)",\s*"path": ?"\/v1.1\//);
  expect(json).toMatch(new RegExp(`"response": ?\\{\\s*"status": ?${status},`));
});

describe('an error names the remedy', () => {
  const account = ['--email', 'ada@example.com', '--password', 'a secret'];

  async function start() {
    const api = await startApi();
    onTestFinished(() => api.close());
    const project = openProject();
    await project.run('init', '--url', api.url, '--instance', 'library', ...account);
    return { ...project, url: api.url };
  }

  const cases: readonly (readonly [string, readonly string[], string])[] = [
    [
      'a wrong password',
      ['login', '--url', 'URL', '--email', 'ada@example.com', '--password', 'x'],
      'wrong password for ada@example.com on URL',
    ],
    [
      'an account that does not exist',
      ['login', '--url', 'URL', '--email', 'bob@example.com', '--password', 'x'],
      'there is no account bob@example.com on URL: groundwork init registers one',
    ],
    [
      'a key that is not valid',
      ['types', '--url', 'URL', '--key', 'abc'],
      'the key of --key is not valid: leave it out, and run groundwork login --url URL',
    ],
    [
      'an instance that does not exist',
      ['types', '--instance', 'other'],
      'there is no instance other on URL: groundwork init --instance other creates it',
    ],
    [
      'a server that does not run',
      ['types', '--url', 'http://127.0.0.1:1111', '--key', 'abc'],
      'no response from http://127.0.0.1:1111: ECONNREFUSED. Start the server with npm start, or with groundwork dev',
    ],
    [
      'a script that does not exist',
      ['run', 'hello'],
      'there is no script with the label or id hello',
    ],
    [
      'a trigger that does not exist',
      ['logs', '--trigger', 'each'],
      'there is no trigger with the label or id each',
    ],
  ];

  test.each(cases)('%s', async (_name, args, text) => {
    const { run, url } = await start();

    const ended = await run(...args.map((each) => each.replace('URL', url)));

    expect(ended).toEqual({
      status: 1,
      stdout: '',
      stderr: `groundwork: ${text.replaceAll('URL', url)}\n`,
    });
  });
});

test('init says what a server without open registration needs', async () => {
  const url = await startHttpServer((asked, response) => {
    asked.resume();
    const isLogin = asked.url?.includes('/auth/');
    response
      .writeHead(isLogin ? 401 : 403, isLogin ? {} : { 'x-error-code': 'registration_closed' })
      .end(JSON.stringify({ detail: isLogin ? 'Invalid email.' : 'Registration is closed.' }));
  });
  const account = ['--email', 'ada@example.com', '--password', 'a secret'];

  const ended = await openProject().run('init', '--url', url, '--instance', 'library', ...account);

  expect(ended).toMatchObject({
    status: 1,
    stderr: `groundwork: registration is closed on ${url}: give --code with an invitation, or with the set-up code that the server prints at its start\n`,
  });
});

test.each([
  [
    403,
    'role_too_low',
    { detail: 'No.' },
    'No. Ask the owner, or a member with the role `full`, for a higher role.',
  ],
  [403, 'class_denies', { detail: 'No.' }, 'No.'],
  [400, 'limit_reached', { detail: 'Too many.' }, /^Too many\. Delete some, /],
  [
    400,
    'invalid_input',
    { a: ['Bad.', 'Long.'], b: { c: ['Old.'] } },
    'a: Bad; a: Long; b.c: Old.',
  ],
  [400, 'invalid_input', { non_field_errors: ['Too large.'] }, 'Too large.'],
  [500, undefined, '<html>', 'the response has status 500 and no explanation'],
  [500, undefined, {}, 'the response has status 500 and no explanation'],
  [400, undefined, { a: 'x'.repeat(5000) }, /^a: x{997}…$/],
])('the status %i with the code %s is described', (status, code, body, text) => {
  const response = { status, body, ...(code !== undefined && { code }) };

  const error = new ResponseError({ path: '/v1.1/' }, 'hidden', response);

  if (typeof text === 'string') expect(describeError(error)).toBe(text);
  else expect(describeError(error)).toMatch(text);
});
