import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRaw } from '../../support/http-client.ts';
import { accepted } from '../../support/lawful.ts';
import { serviceAccount } from '../../support/push.ts';
import {
  type ArrivedPush,
  type PushService,
  type Reaction,
  startPushService,
} from '../../support/push-service.ts';
import { endProcesses, type ServerProcess, startProcess } from '../../support/server-process.ts';

/* A server that is killed at each step of a push: every device gets it once, or it is visibly unknown; never twice. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-push-crash-'));
afterAll(async () => {
  endProcesses();
  await service.close();
  rmSync(root, { recursive: true, force: true });
});

/** Kills at random moments; more by hand: `TEST_KILLS=30 npm run test:slow -- test/local/push/crash.test.ts`. */
const kills = Number(process.env.TEST_KILLS ?? 2);

const base = '/v1.1/instances/phone/';
const messages = `${base}push_notifications/gcm/messages/`;
const tokensOf = (name: string) => Array.from({ length: 30 }, (_, at) => `${name}-${at}`);
const never = new Promise<never>(() => {});

/** The step of a push at which the server is killed, by what the push service sees of it. */
let step: { readonly name: string; reached: boolean } | undefined;

function react({ token }: ArrivedPush): Reaction {
  if (step === undefined) return 'accept';
  const number = Number(token.split('-')[1]);
  if (step.name === 'request') return hangAt(step);
  if (step.name === 'some' && number >= 10) return hangAt(step); // the first ones have their response
  return 'accept';
}

function hangAt(at: { reached: boolean }): Reaction {
  at.reached = true;
  return 'hang';
}

let service: PushService;
let server: ServerProcess;
let owner: string;

beforeAll(async () => {
  service = await startPushService({ react, delayMs: 2, grant });
  server = await startProcess(root, { variables: service.variables });
  owner = await setUp(server);
});

/** Grants an access token, unless this is the step of the kill. */
async function grant() {
  if (step?.name === 'token') {
    step.reached = true;
    await never;
  }
  const access_token = `token-${service.statements.length}`;
  return { status: 200, body: { access_token, expires_in: 3600 } };
}

/** Waits for the moment of the kill. */
async function reach(at: { readonly name: string; readonly reached: boolean }): Promise<void> {
  if (at.name.startsWith('random')) return setTimeout(Math.random() * 150);
  while (at.name !== 'stored' && !at.reached) await setTimeout(5);
  if (at.name === 'some') await setTimeout(100);
}

const random = Array.from({ length: kills }, (_, at) => `random${at}`);

test.each(['token', 'stored', 'request', 'some', ...random])(
  'a kill at the step "%s" sends nothing twice',
  async (name) => {
    const at = { name, reached: false };
    step = at;
    const tokens = tokensOf(name);
    const content = { environment: 'development', registration_ids: tokens, data: {} };
    const stored = await sendRaw(server.url, { as: owner, path: messages, body: { content } });
    await reach(at);
    await server.end('SIGKILL');
    step = undefined;
    server = await startProcess(root, { variables: service.variables });
    const { result } = await endOf(server, owner, accepted(stored, 201).links.self);

    const sent: string[] = Object.keys(result.success ?? {});
    const unknown: string[] = result.errors?.Unknown ?? [];
    const reached = service.arrived
      .map(({ token }) => token)
      .filter((token) => token.startsWith(`${name}-`));
    expect([...sent, ...unknown].sort()).toEqual(tokens.toSorted());
    expect(reached.toSorted()).toEqual([...new Set(reached)].sort());
    expect(sent.filter((token) => !reached.includes(token))).toEqual([]);
    if (name === 'request' || name === 'some') expect(unknown).toHaveLength(20);
  },
);

async function setUp({ url }: ServerProcess): Promise<string> {
  const account = { email: 'ann@example.com', password: 'a password' };
  const registered = await sendRaw(url, { path: '/v1.1/account/register/', body: account });
  const { account_key: owner } = accepted(registered, 201);
  accepted(
    await sendRaw(url, { as: owner, path: '/v1.1/instances/', body: { name: 'phone' } }),
    201,
  );
  const path = `${base}push_notifications/gcm/config/`;
  const config = { development_api_key: serviceAccount };
  accepted(await sendRaw(url, { as: owner, method: 'PUT', path, body: config }), 200);
  return owner;
}

async function endOf({ url }: ServerProcess, owner: string, path: string) {
  for (;;) {
    const message = accepted(await sendRaw(url, { as: owner, path }), 200);
    if (message.status !== 'scheduled') return message;
    await setTimeout(20);
  }
}
