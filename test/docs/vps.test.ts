import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { machineObstacle, runOnMachine, type StepResult } from './machine/machine.ts';

/* The blocks of docs/guides/vps.md, run in order on a machine with systemd. */

const guide = readFileSync(new URL('../../docs/guides/vps.md', import.meta.url), 'utf8');

/** The blocks that are not run, and what they need. */
const left: Readonly<Record<string, string>> = {
  'Node 24': 'nodejs.org',
  'TLS with nginx 2': 'a certificate authority, and DNS',
  'Mail 2': 'an SMTP server, and DNS',
};

/** All blocks by their heading; the second one below a heading has the number 2. */
const blocks = guide
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ''], at) => ({
      name: at === 0 ? heading : `${heading} ${at + 1}`,
      commands: text.replace(/^repository=.*$/m, 'repository=file:///project'),
    }));
  });

/** Steps after a block, which look at what it has done. */
const looks: Readonly<Record<string, string>> = {
  'The service 2': `systemctl show groundwork --property=User,MemoryMax,TasksMax,LimitNOFILE
journalctl --unit groundwork
ps -o user= -p $(systemctl show --value --property=MainPID groundwork)`,
  'TLS with Caddy': `sed -i 's|^api.example.com {|http://api.example.com:8080 {|' /etc/caddy/Caddyfile
systemctl reload caddy
curl -fsS --retry 10 --retry-connrefused -H 'Host: api.example.com' http://127.0.0.1:8080/health
systemctl stop caddy`,
  'TLS with nginx': `curl -fsS -H 'Host: api.example.com' http://127.0.0.1/health`,
  'Roll back 2': `curl -fsS --retry 10 --retry-connrefused http://127.0.0.1:3000/health
systemctl show groundwork --value --property=ActiveState`,
};

const steps = blocks
  .filter(({ name }) => left[name] === undefined)
  .flatMap(({ name, commands }) => {
    const look = looks[name];
    const run = { name, commands };
    return look === undefined ? [run] : [run, { name: `after ${name}`, commands: look }];
  });

const obstacle = machineObstacle();
if (obstacle !== undefined) process.stdout.write(`skipped: the page about a VPS: ${obstacle}\n`);

test('the blocks that are not run are on the page', () => {
  const names = blocks.map(({ name }) => name);

  expect(names).toEqual(expect.arrayContaining([...Object.keys(left), ...Object.keys(looks)]));
});

describe.skipIf(obstacle !== undefined)('on a machine with systemd', () => {
  let results: readonly StepResult[] = [];
  const outputOf = (name: string) => results.find((each) => each.name === name)?.output;

  beforeAll(async () => {
    results = await runOnMachine(steps, 500);
  }, 600_000);

  test.each(steps)('the block $name succeeds', ({ name }) => {
    const { status, output } = results.find((each) => each.name === name) ?? {};

    expect(status, output).toBe(0);
  });

  test('the service keeps the strongest sandbox, and runs a script of each language', () => {
    const log = outputOf('after The service 2');

    expect(log).toContain("Scripts: isolated by bubblewrap, Node's permission flags;");
    expect(log).toMatch(/Scripts: JavaScript ok .*, Python ok \(bubblewrap, /);
  });

  test('the service has a user and limits of its own', () => {
    const log = outputOf('after The service 2');

    expect(log).not.toContain('runs as root');
    expect(log).toMatch(/^groundwork$/m);
    expect(log).toMatch(/^MemoryMax=\d+$/m);
    expect(log).toContain('TasksMax=2048\n');
    expect(log).toContain('LimitNOFILE=65536\n');
  });

  test.each(['after TLS with Caddy', 'after TLS with nginx'])('%s, the server responds', (name) => {
    expect(outputOf(name)).toContain('{"status":"ok"}');
  });

  test('the service runs after a roll back with the data before the upgrade', () => {
    expect(outputOf('after Roll back 2')).toMatch(/"ok"[\s\S]*active/);
  });
});
