import type { Citizen, Life, RuntimeName } from '../citizen.ts';
import type { Answer, Call } from '../client.ts';

interface Endpoint {
  readonly runtime: RuntimeName;
  readonly path: string;
  script: number;
  publicPath: string;
  /** Argument of the last run that was acknowledged. */
  last?: string;
}

const sources: Readonly<Record<RuntimeName, string>> = {
  nodejs: 'console.log((ARGS.POST || ARGS).nonce, CONFIG.mark);',
  python3: "print((ARGS.get('POST') or ARGS)['nonce'], CONFIG['mark'])",
};
const slowestDirectMs = 60_000;

/** Runs scripts of both runtimes: by endpoint, by public link, and directly with a read of the trace. */
export const runner: Citizen = {
  name: 'runner',
  homes: ['small', 'medium', 'large'],
  settle: async (life) => {
    const endpoints: Endpoint[] = [];
    for (const runtime of life.runtimes) endpoints.push(await makeEndpoint(life, runtime));
    const { random, home } = life;
    const acts = [
      (each: Endpoint) => run(life, each, { path: `${each.path}run/`, key: home.accountKey }),
      (each: Endpoint) => run(life, each, { path: `${each.path}run/`, key: home.accountKey }),
      (each: Endpoint) => run(life, each, { path: each.publicPath }),
      (each: Endpoint) => runDirectly(life, each),
    ];
    return {
      act: () => random.pick(acts)(random.pick(endpoints)),
      verify: async () => {
        for (const each of endpoints) await checkTraces(life, each);
      },
      arrive: async () => {
        for (const each of endpoints) {
          await find(life, each);
          await run(life, each, { path: `${each.path}run/`, key: home.accountKey });
        }
      },
    };
  },
};

/** Creates a script that prints its argument and the mark of its tenant, and a public endpoint. */
async function makeEndpoint(life: Life, runtime: RuntimeName): Promise<Endpoint> {
  const { client, home, prefix } = life;
  const as = { key: home.accountKey };
  const name = `${prefix}-${runtime}`;
  const config = { mark: home.mark, timeout: 20 };
  const script = { label: name, runtime_name: runtime, source: sources[runtime], config };
  const made = await client.expect(
    { ...as, path: `${home.base}snippets/scripts/`, body: script },
    201,
  );
  const list = `${home.base}endpoints/scripts/`;
  const body = { name, script: made.body.id, public: true };
  const { body: endpoint } = await client.expect({ ...as, path: list, body }, 201);
  return {
    runtime,
    script: made.body.id,
    path: `${list}${name}/`,
    publicPath: `${list}p/${endpoint.public_link}/`,
  };
}

/** Reads what an endpoint has on another server. */
async function find({ client, home }: Life, endpoint: Endpoint): Promise<void> {
  const { body } = await client.expect({ path: endpoint.path, key: home.accountKey }, 200);
  endpoint.script = body.script;
  endpoint.publicPath = `${home.base}endpoints/scripts/p/${body.public_link}/`;
}

async function run(life: Life, endpoint: Endpoint, to: Call): Promise<void> {
  const nonce = life.random.word(12);
  const call: Call = { ...to, body: { nonce }, kind: 'run' };
  const response = await life.client.expect(call, 200);
  judge(life, call, response, nonce);
  endpoint.last = nonce;
}

function judge({ client, home }: Life, call: Call, response: Answer, nonce: string): void {
  const { status, result } = response.body;
  if (status !== 'success')
    client.fail(call, response, `the run ended ${status}: ${JSON.stringify(result).slice(0, 300)}`);
  if (result.stdout !== `${nonce} ${home.mark}`)
    client.fail(call, response, `it printed ${result.stdout}, expected ${nonce}`);
}

async function runDirectly(life: Life, { script }: Endpoint): Promise<void> {
  const { client, home, random } = life;
  const nonce = random.word(12);
  const path = `${home.base}snippets/scripts/${script}/run/`;
  const as = { key: home.accountKey };
  const started = await client.expect({ ...as, path, body: { payload: { nonce } } }, 200);
  const call = { ...as, path: started.body.links.self };
  const endMs = performance.now() + slowestDirectMs;
  for (;;) {
    const response = await client.expect(call, 200);
    const { status } = response.body;
    if (status !== 'pending' && status !== 'processing') return judge(life, call, response, nonce);
    if (performance.now() > endMs) client.fail(call, response, `it is ${status} after 60 s`);
    await new Promise((resolve) => setTimeout(resolve, random.integer(20, 100)));
  }
}

/** Checks that the last acknowledged run has a trace. A later run may have been interrupted. */
async function checkTraces({ client, home }: Life, { path, last }: Endpoint): Promise<void> {
  const call = { path: `${path}traces/?page_size=10`, key: home.accountKey };
  const response = await client.expect(call, 200);
  const nonces = response.body.objects.map(
    (trace: { args?: { POST?: { nonce?: string } } }) => trace.args?.POST?.nonce,
  );
  if (last !== undefined && !nonces.includes(last))
    client.fail(call, response, `the trace of run ${last} is lost; there are ${nonces}`);
}
