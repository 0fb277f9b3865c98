import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

/* compose.yaml, by the parts of the Compose Specification that it uses. */

const project = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(project, 'compose.yaml'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'groundwork-compose-'));
afterAll(() => rmSync(folder, { recursive: true }));

const names = v.array(v.string());
const service = v.strictObject({
  build: v.optional(v.string()),
  image: v.optional(v.string()),
  init: v.optional(v.boolean()),
  restart: v.picklist(['no', 'always', 'on-failure', 'unless-stopped']),
  ports: v.array(v.pipe(v.string(), v.regex(/^([\d.]+:)?\d+:\d+(\/udp)?$/))),
  volumes: v.array(v.pipe(v.string(), v.regex(/^[\w-]+:\/[\w/-]+$/))),
  environment: v.record(v.pipe(v.string(), v.regex(/^[A-Z_]+$/)), v.string()),
  cap_drop: v.optional(names),
  security_opt: v.optional(names),
  mem_limit: v.optional(v.pipe(v.string(), v.regex(/^\d+[bkmg]$/))),
  stop_grace_period: v.optional(v.pipe(v.string(), v.regex(/^\d+s$/))),
  configs: v.optional(v.array(v.strictObject({ source: v.string(), target: v.string() }))),
});
const schema = v.strictObject({
  services: v.strictObject({ groundwork: service, caddy: service }),
  configs: v.strictObject({ caddyfile: v.strictObject({ content: v.string() }) }),
  volumes: v.record(v.string(), v.null()),
});
const compose = v.parse(schema, parse(text));
const { groundwork, caddy } = compose.services;

test('every volume and every configuration that a service has is declared', () => {
  const used = Object.values(compose.services).flatMap(({ volumes }) =>
    volumes.map((each) => each.split(':')[0] ?? ''),
  );

  expect(used.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  expect(caddy.configs?.map(({ source }) => source)).toEqual(Object.keys(compose.configs));
});

test('the volumes of the server are folders of its user in the image', () => {
  const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8');
  const targets = groundwork.volumes.map((each) => each.split(':')[1] ?? '').toSorted();

  expect(dockerfile).toContain(`chown node:node ${targets.join(' ')}\n`);
});

test('the server and Caddy have the same name and secret', () => {
  expect(groundwork.environment.GROUNDWORK_URL).toMatch(/^https:\/\/\$\{DOMAIN:\?/);
  expect(groundwork.environment.GROUNDWORK_PROXY_SECRET).toMatch(/^\$\{PROXY_SECRET:\?/);
  const own = Object.fromEntries(
    Object.keys(caddy.environment).map((name) => [name, `\${${name}}`]),
  );
  expect(caddy.environment).toEqual(own);
  expect(Object.keys(own)).toEqual(['DOMAIN', 'PROXY_SECRET']);
});

test.each(['DOMAIN', 'PROXY_SECRET', 'SMTP_URL', 'MAIL_FROM'])('the guide names %s', (name) => {
  const guide = readFileSync(join(project, 'docs/guides/containers.md'), 'utf8');

  expect(guide).toMatch(new RegExp(`^${name}=`, 'm'));
});

const hasCaddy = spawnSync('caddy', ['version']).status === 0;
if (!hasCaddy)
  process.stdout.write('skipped: the Caddyfile of compose.yaml; Caddy is not installed\n');

describe.skipIf(!hasCaddy)('Caddy', () => {
  test('accepts its configuration', () => {
    const file = join(folder, 'Caddyfile');
    writeFileSync(
      file,
      compose.configs.caddyfile.content.replaceAll('$$', () => '$'),
    );
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      DOMAIN: 'api.example.com',
      PROXY_SECRET: 's',
    };

    const { status, stderr } = spawnSync(
      'caddy',
      ['validate', '--adapter', 'caddyfile', '--config', file],
      { env },
    );

    expect(status, stderr.toString()).toBe(0);
  });
});

const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
if (!hasCompose) {
  process.stdout.write('skipped: compose.yaml by Docker Compose, which is not installed\n');
}

test.skipIf(!hasCompose)('Docker Compose accepts the file', () => {
  const env = { ...process.env, DOMAIN: 'api.example.com', PROXY_SECRET: 's'.repeat(32) };
  const options = ['compose', '--file', join(project, 'compose.yaml'), 'config', '--quiet'];

  const { status, stderr } = spawnSync('docker', options, { env });

  expect(status, stderr.toString()).toBe(0);
});
