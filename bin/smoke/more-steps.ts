import { generateKeyPairSync } from 'node:crypto';
import { mustBe, type SmokeWorld, type Step, until } from './world.ts';

type Trace = { status: string; result: { stdout?: string; stderr?: string } };

/** Steps about scripts and messages, and about the usage, in order. */
export const moreSteps: readonly Step[] = [
  scriptStep('JavaScript', 'nodejs_v8', 'console.log(ARGS.a + ARGS.b)'),
  scriptStep('Python', 'python3', "print(ARGS['a'] + ARGS['b'])"),
  {
    name: 'trigger',
    run: async (world) => {
      const { send, instance, keys } = world;
      const key = keys.account;
      const script = await createScript(world, 'nodejs_v8', 'console.log(META.signal, ARGS.title)');
      const trigger = { label: 'smoke', class: 'book', signal: 'post_create', script };
      const { body } = await send({ key, path: `${instance}triggers/`, body: trigger });
      const path = `${instance}classes/book/objects/`;
      await send({ key: keys.api, path, body: { title: 'Emma' } });
      const traces = await until<{ objects: Trace[] }>(
        world,
        { path: body.links.traces },
        ({ objects }) => objects.some(isEnded),
      );
      mustBe('the output', traces.objects.find(isEnded)?.result.stdout, 'create Emma');
      return undefined;
    },
  },
  {
    name: 'channel',
    run: async (world) => {
      const { send, instance, keys } = world;
      const key = keys.account;
      const channel = { name: 'smoke', custom_publish: true, other_permissions: 'publish' };
      await send({ key, path: `${instance}channels/`, body: channel });
      const payload = { text: 'hello' };
      const path = `${instance}channels/smoke/`;
      await send({ key: keys.api, path: `${path}publish/`, body: { payload } });
      const poll = { path: `${path}poll/?last_id=0`, key: keys.api, expect: [200, 204] };
      const message = await until(world, poll, (body) => typeof body === 'object');
      mustBe('the message', message.payload, payload);
      return undefined;
    },
  },
  { name: 'push', run: sendPush },
  {
    name: 'usage',
    run: async (world) => {
      const path = `/v1.1/usage/daily/?instance=${world.name}`;
      const { body } = await world.send({ key: world.keys.account, path });
      if (!Array.isArray(body.objects)) throw new Error('usage has no list of objects');
      return `${body.objects.length} entries so far`;
    },
  },
];

function isEnded({ status }: Trace): boolean {
  return status !== 'pending' && status !== 'processing';
}

async function createScript(
  { send, instance, keys }: SmokeWorld,
  runtime_name: string,
  source: string,
): Promise<number> {
  const body = { label: 'smoke', runtime_name, source };
  const path = `${instance}snippets/scripts/`;
  return (await send({ key: keys.account, path, body })).body.id;
}

function scriptStep(language: string, runtime: string, source: string): Step {
  return {
    name: `script in ${language}`,
    run: async (world) => {
      const script = await createScript(world, runtime, source);
      const path = `${world.instance}snippets/scripts/${script}/run/`;
      const body = { payload: { a: 1, b: 2 } };
      const run = await world.send({ key: world.keys.account, path, body });
      const trace = await until<Trace>(world, { path: run.body.links.self }, isEnded);
      mustBe('the outcome', [trace.status, trace.result.stdout], ['success', '3']);
      return undefined;
    },
  };
}

/** A service account with a key that no service knows: the server accepts whole keys only. */
const dummy = {
  project_id: 'smoke',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
  client_email: 'smoke@example.com',
};

/** Configures push, and sends a message to a token that does not exist; the push service may reject that. */
async function sendPush(world: SmokeWorld): Promise<string | undefined> {
  const { send, instance, keys, fcm = dummy } = world;
  const key = keys.account;
  const path = `${instance}push_notifications/gcm/`;
  const expect = fcm === dummy ? [200, 400] : [200];
  const body = { development_api_key: fcm };
  const configured = await send({ method: 'PATCH', key, path: `${path}config/`, body, expect });
  if (configured.status === 400) {
    mustBe('the error', Object.keys(configured.body), ['development_api_key']);
    return 'the push service rejected the dummy credential, as it should: give --fcm to send a message';
  }
  const data = { message: 'hello' };
  const content = { environment: 'development', registration_ids: ['no-such-token'], data };
  const sent = await send({ key, path: `${path}messages/`, body: { content } });
  const message = await until(
    world,
    { path: sent.body.links.self },
    ({ status }) => status !== 'scheduled',
  );
  return `the message is ${message.status}`;
}
