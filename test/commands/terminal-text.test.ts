import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { createProgram } from '../../bin/groundwork/program.ts';
import { openTerminal } from '../../bin/groundwork/terminal.ts';
import { printable } from '../../shared/values/text/printable.ts';
import { commandsFor, needServer, runHere } from './every-command.ts';
import { openProject } from './groundwork.ts';
import { startHttpServer } from './http-server.ts';

/*
 * A text of a server, of an anonymous caller, or of a file never controls the terminal. Every command runs against a
 * server whose texts all do, in four ways: as errors, as records, as records whose names are as they should be, and as
 * texts that are no JSON.
 */

const clipboard = '\u001b]52;c;ZXZpbA==\u0007';
const hostile = `A${clipboard}\u001b[2J\u001b[1;1H\u009b31m\u009d0;t\u009c\u0090q\b\r\u007f\u202e\u2066\u2028\u200fZ`;
/** Everything but the end of a line and a tab. */
const control = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

type Way = 'errors' | 'records' | 'named' | 'text';
const ways: readonly Way[] = ['errors', 'records', 'named', 'text'];

/** Responds as an instance does that has one record of everything. */
function respondAs(way: Way) {
  return (asked: IncomingMessage, response: ServerResponse) => {
    asked.resume();
    const path = (asked.url ?? '').replace(/\?.*/, '');
    response.setHeader('date', new Date().toUTCString());
    if (way === 'text') return response.writeHead(500).end(`<p>${hostile}</p>`);
    const isOpen = path === '/v1.1/' || path.endsWith('/auth/');
    if (way === 'errors' && !isOpen) {
      const body = {
        detail: hostile,
        [hostile]: [hostile],
        records: { 0: { [hostile]: hostile } },
      };
      return response.writeHead(path.endsWith('/run/') ? 404 : 400).end(JSON.stringify(body));
    }
    return response.end(JSON.stringify(bodyOf(path, way === 'named')));
  };
}

function bodyOf(path: string, isNamed: boolean): object {
  const links = { self: '/v1.1/self/', traces: '/v1.1/instances/library/traces/' };
  const name = isNamed ? 'hello' : hostile;
  const trace = {
    id: 1,
    status: isNamed ? 'success' : hostile,
    executed_at: '2020-01-01T00:00:00.000000Z',
    duration: 1,
    result: { stdout: hostile, stderr: hostile, response: { status: 200, content: hostile } },
    links,
  };
  const record = {
    ...{ id: 1, name, label: hostile, description: hostile, email: hostile, role: hostile },
    ...{ source: hostile, runtime_name: 'nodejs', script: 1, class: name, signal: hostile },
    ...{ schema: isNamed ? [{ name: 'title', type: 'string' }] : [{ name, type: hostile }] },
    ...{ public: true, public_link: hostile, excluded_fields: null, expand: null, type: 'default' },
    ...{
      group: null,
      metadata: {},
      config: {},
      objects_count: 1,
      status: isNamed ? 'ready' : name,
    },
    ...{ first: 1, api_key: 'k', account_key: 'k', content: hostile, links },
  };
  if (path.endsWith('/traces/')) return { objects: [trace], next: null };
  if (path.includes('/traces/') || path.endsWith('/run/') || path === links.self) return trace;
  const isList = /(s|scripts|data)\/$/.test(path) && !path.endsWith('/instances/library/');
  const isExport = path.endsWith('/export/');
  return isList || isExport ? { ...record, objects: [record], next: null } : record;
}

const commands = commandsFor(hostile);

test('every command is in the list', () => {
  const namesOf = (command: Command, above: string): readonly string[] =>
    command.commands.length === 0
      ? [above + command.name()]
      : command.commands.flatMap((one) => namesOf(one, `${above}${command.name()} `));
  const names = createProgram('1').commands.flatMap((one) => namesOf(one, ''));

  // a command of its own, beside those below it
  expect(Object.keys(commands).toSorted()).toEqual([...names, 'backup'].toSorted());
});

afterEach(() => vi.unstubAllEnvs());

function hostileProject(): string {
  const { folder } = openProject();
  const label = JSON.stringify(hostile);
  mkdirSync(join(folder, 'scripts'));
  writeFileSync(join(folder, 'scripts/x.js'), hostile);
  writeFileSync(
    join(folder, 'groundwork.yml'),
    [
      `scripts: { ${label}: { file: scripts/x.js } }`,
      `script_endpoints: { made: { script: ${label}, public: true } }`,
      `api_keys: { ${label}: {} }`,
      `triggers: { ${label}: { script: ${label}, class: book, signal: post_create } }`,
    ].join('\n'),
  );
  writeFileSync(join(folder, 'books.csv'), `${hostile.replace('\r', '')}\n1\n`);
  return folder;
}

const cases = Object.keys(commands)
  .filter((name) => name !== 'dev')
  .flatMap((name) =>
    (needServer.has(name) ? ways : ways.slice(0, 1)).map((way) => [name, way] as const),
  );

test.each(cases)(
  '%s prints no control character of a server that responds with %s',
  async (name, way) => {
    const { args, shows } = commands[name] ?? { args: [], shows: false };
    const url = await startHttpServer(respondAs(way));
    const server = needServer.has(name) ? ['--url', url] : [];
    const account = needServer.has(name) && !args.includes('--email') ? ['--key', 'k'] : [];
    const instance = account.length > 0 || name === 'init' ? ['--instance', 'library'] : [];
    const all = [...name.split(' '), ...args, ...server, ...account, ...instance];

    const text = await runHere(hostileProject(), all);
    const json = await runHere(hostileProject(), [...all, '--json']);

    expect(control.exec(text)?.[0]).toBeUndefined();
    expect(control.exec(json)?.[0]).toBeUndefined();
    if (shows && way === 'errors') expect(text).toContain('\\u001b]52');
  },
);

test.each(ways)(
  'dev prints no control character of a server that responds with %s',
  async (way) => {
    const url = await startHttpServer(respondAs(way));
    const { follow, folder } = openProject();
    writeFileSync(join(folder, 'groundwork.yml'), `${JSON.stringify(hostile)}: {}\n`);
    const place = ['--url', url, '--key', 'k', '--instance', 'library'];

    const dev = follow('dev', ...place);
    const text = await Promise.race([dev.complains(/\n$/), dev.until(/\n$/)]);

    expect(text).toMatch(/\S/);
    expect(control.exec(text)?.[0]).toBeUndefined();
  },
);

test('JSON output has the exact data', () => {
  const written: string[] = [];
  const spy = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);

  openTerminal({ isJson: true }).result(
    { [hostile]: [hostile, '\u00e9\ud83d\ude00', 'a\nb\tc'] },
    () => '',
  );

  spy.mockRestore();
  expect(control.exec(written.join(''))).toBeNull();
  expect(JSON.parse(written.join(''))).toEqual({
    [hostile]: [hostile, '\u00e9\ud83d\ude00', 'a\nb\tc'],
  });
});

test('colours are those of the terminal only', () => {
  const written: string[] = [];
  const spy = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  const { isTTY } = process.stdout;
  process.stdout.isTTY = true;
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
  const out = openTerminal({ isJson: false });

  out.say(`${out.style('red', `no ${hostile}`)} \u001b[31mred\u001b[39m`);

  spy.mockRestore();
  process.stdout.isTTY = isTTY;
  const shown = hostile.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  expect(written).toEqual([`\u001b[31mno ${shown}\u001b[39m \\u001b[31mred\\u001b[39m\n`]);
});

test.each([
  ['lines and tabs stay', 'a\tb\nc\r\nd', 'a\tb\nc\nd'],
  ['a carriage return alone does not', 'a\rb', 'a\\u000db'],
  [
    'text of people stays',
    'é 日本 \ud83d\udc69\u200d\ud83d\udcbb فارسی\u200cها',
    'é 日本 \ud83d\udc69\u200d\ud83d\udcbb فارسی\u200cها',
  ],
  ['C1 codes are shown', '\u009b31m', '\\u009b31m'],
  ['bidirectional controls are shown', '\u202eabc', '\\u202eabc'],
])('%s', (_name, text, shown) => {
  expect(printable(text)).toBe(shown);
});
