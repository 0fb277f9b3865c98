import { setTimeout } from 'node:timers/promises';
import { test as base, expect } from 'vitest';
import { sendRaw } from '../../support/http-client.ts';
import { accepted } from '../../support/lawful.ts';
import { serviceAccount } from '../../support/push.ts';
import { type ArrivedPush, type Reaction, startPushService } from '../../support/push-service.ts';
import { endProcesses, type ServerProcess, startProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/* A server that is killed at each step of a push: every device gets it once, or it is visibly unknown; never twice. */

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-push-crash-'))
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('pushes', { scope: 'file' }, async ({}, { onCleanup }) => {
    const pushes = await startPushes();
    onCleanup(() => pushes.service.close());
    return pushes;
  })
  .extend('given', { scope: 'file' }, async ({ root, pushes: { service } }, { onCleanup }) => {
    onCleanup(endProcesses);
    const start = () => startProcess(root, { variables: service.variables });
    const server = await start();
    return { start, server, owner: await setUp(server) };
  });

/** Kills at random moments; more by hand: `TEST_KILLS=30 npm run test:slow -- test/local/push/crash.test.ts`. */
const kills = Number(process.env.TEST_KILLS ?? 2);

const random = Array.from({ length: kills }, (_, at) => `random${at}`);

test.for(['token', 'stored', 'request', 'some', ...random])(
  'a kill at the step "%s" sends nothing twice',
  async (name, { pushes, given }) => {
    const { service } = pushes;
    const { owner } = given;
    const at = { name, reached: false };
    pushes.step = at;
    const tokens = tokensOf(name);
    const content = { environment: 'development', registration_ids: tokens, data: {} };
    const stored = await sendRaw(given.server.url, {
      as: owner,
      path: messages,
      body: { content },
    });
    await reach(at);
    await given.server.end('SIGKILL');
    pushes.step = undefined;
    given.server = await given.start();
    const { result } = await endOf(given.server, owner, accepted(stored, 201).links.self);

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
  const path = `${instance}push_notifications/gcm/config/`;
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

const instance = '/v1.1/instances/phone/';
const messages = `${instance}push_notifications/gcm/messages/`;
const tokensOf = (name: string) => Array.from({ length: 30 }, (_, at) => `${name}-${at}`);
const never = new Promise<never>(() => {});

interface Step {
  readonly name: string;
  reached: boolean;
}

/** Starts a push service that hangs at a step. */
async function startPushes() {
  /** The step of a push at which the server is killed, by what the push service sees of it. */
  const state: { step: Step | undefined } = { step: undefined };
  function react({ token }: ArrivedPush): Reaction {
    const { step } = state;
    if (step === undefined) return 'accept';
    const number = Number(token.split('-')[1]);
    if (step.name === 'request') return hangAt(step);
    if (step.name === 'some' && number >= 10) return hangAt(step); // the first ones have their response
    return 'accept';
  }
  /** Grants an access token, unless this is the step of the kill. */
  async function grant() {
    if (state.step?.name === 'token') {
      state.step.reached = true;
      await never;
    }
    const access_token = `token-${service.statements.length}`;
    return { status: 200, body: { access_token, expires_in: 3600 } };
  }
  const service = await startPushService({ react, delayMs: 2, grant });
  return Object.assign(state, { service });
}

function hangAt(at: Step): Reaction {
  at.reached = true;
  return 'hang';
}

/** Waits for the moment of the kill. */
async function reach(at: Step): Promise<void> {
  if (at.name.startsWith('random')) return setTimeout(Math.random() * 150);
  while (at.name !== 'stored' && !at.reached) await setTimeout(5);
  if (at.name === 'some') await setTimeout(100);
}
