import type { Citizen, Life, RuntimeName } from '../citizen.ts';
import type { Call } from '../client.ts';

interface Weapons {
  /** Paths of runs, by the purpose of the script. */
  readonly sleep: readonly string[];
  readonly hog: readonly string[];
  readonly flood: string;
  /** Ids of scripts that sleep. */
  readonly sleepers: readonly number[];
  readonly slowTemplate: string;
  readonly list: string;
}

const sleepSource: Readonly<Record<RuntimeName, string>> = {
  nodejs: 'setTimeout(() => console.log(1), 290000)',
  python3: 'import time; time.sleep(290); print(1)',
};
const hogSource: Readonly<Record<RuntimeName, string>> = {
  nodejs: 'const held = []; for (;;) held.push(Buffer.alloc(8_000_000, 1));',
  python3: 'held = []\nwhile True: held.append(bytearray(b"x" * 8_000_000))',
};
/** Statuses that a hostile tenant may get because of its own limits. */
const allowed = [200, 400, 408, 413, 429, 503];

/** Hostile within its rights: sleeps in scripts, allocates memory, exceeds limits, floods. */
export const bully: Citizen = {
  name: 'bully',
  homes: ['own', 'own', 'own'],
  isHostile: true,
  pauseMs: 200,
  settle: async (life) => {
    const weapons = await prepare(life);
    const acts = [
      () => sleep(life, weapons),
      () => sleepDirectly(life, weapons),
      () => hog(life, weapons),
      () => flood(life, weapons),
      () => renderSlowly(life, weapons),
      () => listMuch(life, weapons),
      () => batchMuch(life, weapons),
    ];
    return {
      act: async () => {
        await life.random.pick(acts)();
      },
    };
  },
};

async function prepare(life: Life): Promise<Weapons> {
  const { client, home, prefix, random, runtimes } = life;
  const as = { key: home.accountKey };
  const schema = [
    { name: 'text', type: 'text' },
    { name: 'word', type: 'string', filter_index: true },
  ];
  const name = `${prefix}_heap`;
  await client.expect({ ...as, path: `${home.base}classes/`, body: { name, schema } }, 201);
  const list = `${home.base}classes/${name}/objects/`;
  for (let n = 0; n < 4; n += 1) {
    const body = () => ({ text: `${home.mark} ${random.word(2_000)}`, word: random.word(40) });
    const requests = Array.from({ length: 50 }, () => ({
      method: 'POST',
      path: list,
      body: body(),
    }));
    await client.expect({ ...as, path: `${home.base}batch/`, body: { requests } }, 200);
  }
  const content = '{% for a in range(3000) %}{% for b in range(3000) %}{% endfor %}{% endfor %}';
  const template = { name: `${prefix}-slow`, content, content_type: 'text/plain', context: {} };
  const templates = `${home.base}snippets/templates/`;
  await client.expect({ ...as, path: templates, body: template }, 201);
  const sleeping = [];
  const hogging = [];
  for (const runtime of runtimes) {
    sleeping.push(await makeEndpoint(life, `sleep-${runtime}`, runtime, sleepSource[runtime], 300));
    hogging.push(await makeEndpoint(life, `hog-${runtime}`, runtime, hogSource[runtime], 10));
  }
  const runtime = random.pick(runtimes);
  const print = runtime === 'nodejs' ? 'console.log(1)' : 'print(1)';
  const flooding = await makeEndpoint(life, 'flood', runtime, print, 5);
  return {
    sleep: sleeping.map(({ path }) => path),
    sleepers: sleeping.map(({ script }) => script),
    hog: hogging.map(({ path }) => path),
    flood: flooding.path,
    slowTemplate: `${templates}${prefix}-slow/render/`,
    list,
  };
}

async function makeEndpoint(
  { client, home, prefix }: Life,
  label: string,
  runtime: RuntimeName,
  source: string,
  timeout: number,
) {
  const as = { key: home.accountKey };
  const script = { runtime_name: runtime, source, config: { timeout } };
  const scripts = `${home.base}snippets/scripts/`;
  const { body: made } = await client.expect({ ...as, path: scripts, body: script }, 201);
  const list = `${home.base}endpoints/scripts/`;
  const body = { name: `${prefix}-${label}`, script: made.id, public: true };
  const { body: endpoint } = await client.expect({ ...as, path: list, body }, 201);
  return { script: Number(made.id), path: `${list}p/${endpoint.public_link}/` };
}

/** Sends `times` requests at once, and disconnects from slow ones. */
async function rush({ client }: Life, times: number, call: Call, leaveAfterMs: number) {
  const sent = Array.from({ length: times }, () =>
    client.expect({ ...call, leaveAfterMs }, ...allowed, 0),
  );
  await Promise.all(sent);
}

const sleep = (life: Life, { sleep: paths }: Weapons) =>
  rush(life, 6, { path: life.random.pick(paths), kind: 'odd' }, 1_500);

const hog = (life: Life, { hog: paths }: Weapons) =>
  rush(life, 3, { path: life.random.pick(paths), kind: 'odd' }, 12_000);

const flood = (life: Life, { flood: path }: Weapons) =>
  rush(life, 60, { path, kind: 'odd', body: { text: life.random.word(1_000) } }, 8_000);

const listMuch = (life: Life, { list: path }: Weapons) => {
  const query = encodeURIComponent(JSON.stringify({ word: { _icontains: life.random.word(2) } }));
  const call = { path: `${path}?page_size=100&query=${query}`, key: life.home.apiKey };
  return rush(life, 10, { ...call, kind: 'odd' }, 10_000);
};

const renderSlowly = (life: Life, { slowTemplate: path }: Weapons) =>
  rush(life, 20, { path, key: life.home.apiKey, body: { context: {} }, kind: 'odd' }, 8_000);

const batchMuch = (life: Life, { list: path }: Weapons) => {
  const requests = Array.from({ length: 50 }, () => ({
    method: 'GET',
    path: `${path}?page_size=100`,
  }));
  const call = { path: `${life.home.base}batch/`, key: life.home.apiKey, body: { requests } };
  return rush(life, 2, { ...call, kind: 'odd' }, 10_000);
};

/** Starts direct runs, which continue after the client has disconnected. */
async function sleepDirectly(life: Life, { sleepers }: Weapons): Promise<void> {
  const id = life.random.pick(sleepers);
  const path = `${life.home.base}snippets/scripts/${id}/run/`;
  const call = { method: 'POST', path, key: life.home.accountKey, kind: 'odd' } as const;
  await rush(life, 5, call, 5_000);
}
