import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { catalogue } from '../../shared/platforms/local/metrics/catalogue.ts';
import { probeIsolation } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import { readPrometheusText } from '../support/prometheus-text.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

/* The commands and rules of the guide, and the table of the reference. */

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const guide = read('guides/monitoring.md');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );
const folder = mkdtempSync(join(tmpdir(), 'groundwork-monitoring-'));
const run = (command: string) =>
  execFileSync('/bin/sh', ['-ec', command], { cwd: folder, encoding: 'utf8' });

afterAll(() => {
  endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

test('the reference lists all metrics of the server, with their labels and texts', () => {
  const rows = catalogue.map(({ name, kind, labels, help }) => {
    const names = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`groundwork_${name}\` | ${kind} | ${names} | ${help} |`;
  });

  expect(read('reference/metrics.md')).toContain(`${rows.join('\n')}\n\n`);
});

test('the rules and configurations of the guide are YAML, and name metrics that exist', async () => {
  const [, , rules] = blocks('yaml').map((text) => parse(text));
  const described = new Set(
    [...guide.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g)),
  );
  const alerts = rules.groups[0].rules.map(({ alert }: { alert: string }) => alert);

  expect(blocks('yaml')).toHaveLength(3);
  expect(alerts.filter((alert: string) => !described.has(alert))).toEqual([]);
});

test('metrics with a token are there as printed, and all that the guide names', async () => {
  const [prepare = '', ask = ''] = blocks('sh');
  const [makeToken = '', start = ''] = prepare.trim().split('\n');
  const [, variable = '', value = ''] = /^(\w+)=(\S+) npm start$/.exec(start) ?? [];
  run(makeToken);
  const server = await startProcess(join(folder, 'data'), {
    variables: { [variable]: join(folder, value) },
  });

  const text = run(ask.replace('http://127.0.0.1:3000', server.url));

  const names = new Set(readPrometheusText(text).keys());
  const named = [...guide.matchAll(/groundwork_[a-z0-9_]*[a-z]/g)].map(([name]) => name);
  const missing = named.filter((name) => !names.has(name.replace(/_bucket$/, '')));
  expect(missing).toEqual([]);
  expect(statSync(join(folder, value)).mode & 0o777).toBe(0o600);
});

const hasBubblewrap = (await probeIsolation({ network: true })).level === 'bubblewrap';

test.runIf(hasBubblewrap)('metrics at a socket are there as printed', async () => {
  const [, , prepare = '', ask = ''] = blocks('sh');
  const [makeFolder = '', start = ''] = prepare.trim().split('\n');
  const [, variable = '', value = ''] = /^(\w+)="\$PWD\/(\S+)" npm start$/.exec(start) ?? [];
  run(makeFolder);
  await startProcess(join(folder, 'other'), { variables: { [variable]: join(folder, value) } });

  run(ask);

  const text = readFileSync(join(folder, 'groundwork.prom'), 'utf8');
  expect(readPrometheusText(text).has('groundwork_build_info')).toBe(true);
});
