import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openClient, type SendRequest } from '../../shared/clients/client.ts';
import { startProcess } from '../support/server-process.ts';

/*
 * Sends what the OpenAPI document allows, and what it does not, to a server, and compares the responses with the
 * document: with schemathesis, a program of Python that this project has not written.
 */

const usage = `Usage: npm run fuzz [-- --seconds 600 --examples 50 --seed 1]

Needs schemathesis (pip install schemathesis==4.32.5), or its path in SCHEMATHESIS.
`;

/** Path or name of the program. */
const program = process.env.SCHEMATHESIS ?? 'schemathesis';
const instance = 'fuzzed';

/** Operations that end the run's own account or instance, or that respond when something else happens. */
const excluded = [
  'resetAccountKey',
  'renameInstance',
  'deleteInstance',
  'pollMessage',
  'streamMessages',
];

/** Parameters by which a response has only some fields: the document describes whole ones. */
const projections = ['fields', 'excluded_fields'];

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    examples: { type: 'string', default: '50' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else if (spawnSync(program, ['--version']).status === 0) process.exitCode = await fuzz();
else process.stdout.write(`skipped: schemathesis is missing\n${usage}`);

async function fuzz(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-fuzz-'));
  const server = await startProcess(join(folder, 'data'));
  try {
    const key = await register(openClient(server.url));
    const send = openClient(server.url, key);
    await send({ path: '/v1.1/instances/', body: { name: instance } });
    const document = join(folder, 'openapi.json');
    writeFileSync(document, JSON.stringify(await fetchDocument(send)));
    const configuration = join(folder, 'schemathesis.toml');
    writeFileSync(configuration, `[parameters]\n"path.instance_name" = "${instance}"\n`);
    const { status } = spawnSync(
      program,
      [
        `--config-file=${configuration}`,
        'run',
        document,
        `--url=${server.url}`,
        `--header=X-API-KEY: ${key}`,
        `--checks=${checks.join(',')}`,
        ...excluded.map((id) => `--exclude-operation-id=${id}`),
        `--max-examples=${values.examples}`,
        `--max-time=${values.seconds}`,
        ...(values.seed === undefined ? [] : [`--seed=${values.seed}`]),
        '--continue-on-failure',
        '--warnings=off',
      ],
      { stdio: 'inherit', cwd: folder },
    );
    const problems = server.complaints();
    if (problems !== '') process.stdout.write(`The server has logged errors:\n${problems}`);
    return status === 0 && problems === '' ? 0 : 1;
  } finally {
    await server.end('SIGTERM');
    rmSync(folder, { recursive: true });
  }
}

async function register(send: SendRequest): Promise<string> {
  const person = { email: 'fuzz@example.com', password: 'secret' };
  return (await send({ path: '/v1.1/account/register/', body: person })).body.account_key;
}

async function fetchDocument(send: SendRequest): Promise<object> {
  const { body } = await send({ path: '/v1.1/schema/?format=openapi' });
  for (const operations of Object.values<Record<string, { parameters?: { name?: string }[] }>>(
    body.paths,
  )) {
    for (const operation of Object.values(operations)) {
      const given = operation.parameters;
      if (given)
        operation.parameters = given.filter(({ name = '' }) => !projections.includes(name));
    }
  }
  return body;
}
