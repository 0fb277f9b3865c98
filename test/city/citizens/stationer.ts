import { setTimeout as pause } from 'node:timers/promises';
import type { Citizen, Life } from '../citizen.ts';
import type { Call } from '../client.ts';

const mayWait = [200, 503]; // a render that waits too long is rejected with Retry-After
const maxTries = 12; // of a write, which the server checks in a process too: each may wait for 5 s

/** Creates, edits, renders and deletes templates. */
export const stationer: Citizen = {
  name: 'stationer',
  homes: ['small', 'medium'],
  settle: async (life) => {
    const { home, prefix, random } = life;
    const list = `${home.base}snippets/templates/`;
    const path = `${list}${prefix}-letter/`;
    await make(life, list, `${prefix}-letter`);
    const acts = [
      () => render(life, path),
      () => render(life, path),
      () => edit(life, path),
      () => replaceTemplate(life, list),
      () => renderList(life),
    ];
    const verify = () => finishEdit(life, path);
    return { act: () => random.pick(acts)(), verify, arrive: verify };
  },
};

async function make({ client, home }: Life, list: string, name: string): Promise<void> {
  const content = `Dear {{ who }}, {{ '${home.mark}' }}{% for n in items %} {{ n * 2 }}{% endfor %}`;
  const body = { name, content, content_type: 'text/plain', context: { who: 'nobody', items: [] } };
  await save(client, { path: list, key: home.accountKey, body }, 201);
}

/** Writes a template; repeats what was rejected with Retry-After. */
async function save(client: Life['client'], call: Call, status: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await client.expect(call, status, 503);
    if (response.status === status) return;
    if (tries === maxTries) client.fail(call, response, `rejected ${tries} times`);
    await pause(Number(response.headers['retry-after']) * 1000);
  }
}

async function render(life: Life, path: string, greeting = 'Dear'): Promise<void> {
  const { random, home } = life;
  const who = random.word(8);
  const items = Array.from({ length: random.integer(0, 5) }, () => random.integer(0, 9));
  const body = { context: { who, items } };
  const expected = [`${greeting} ${who}, ${home.mark}`, ...items.map((n) => n * 2)].join(' ');
  const call: Call = { path: `${path}render/`, key: home.apiKey, body, kind: 'render' };
  await compare(life, call, expected);
}

async function compare({ client }: Life, call: Call, expected: string): Promise<void> {
  const response = await client.expect(call, ...mayWait);
  const text = response.bytes.toString();
  if (response.status === 200 && text !== expected)
    client.fail(call, response, `${text.slice(0, 200)}, expected ${expected.slice(0, 200)}`);
}

/** Checks that an edit applies from the next rendering on. */
async function edit(life: Life, path: string): Promise<void> {
  const { client, home } = life;
  const { body } = await client.expect({ path, key: home.accountKey }, 200);
  const content = String(body.content).replace(/^Dear/, 'Hello');
  await save(client, { method: 'PATCH', path, key: home.accountKey, body: { content } }, 200);
  await render(life, path, 'Hello');
  await finishEdit(life, path);
}

/** Reverts an edit, which the end of the server may have interrupted. */
async function finishEdit(life: Life, path: string): Promise<void> {
  const { client, home } = life;
  const { body } = await client.expect({ path, key: home.accountKey }, 200);
  const content = String(body.content).replace(/^Hello/, 'Dear');
  await save(client, { method: 'PATCH', path, key: home.accountKey, body: { content } }, 200);
  await render(life, path);
}

async function replaceTemplate(life: Life, list: string): Promise<void> {
  const { client, home, prefix } = life;
  const path = `${list}${prefix}-draft/`;
  await client.expect({ method: 'DELETE', path, key: home.accountKey }, 204, 404);
  await client.expect({ path: `${path}render/`, key: home.apiKey, body: {} }, 404);
  await make(life, list, `${prefix}-draft`);
  await render(life, path);
}

/** Renders a list of any kind, and checks the mark of the instance. */
async function renderList({ client, home }: Life): Promise<void> {
  const path = `${home.base}classes/?template_response=objects_csv`;
  const call: Call = { path, key: home.accountKey, kind: 'render' };
  const response = await client.expect(call, ...mayWait);
  if (response.status === 200 && !response.bytes.toString().includes('user_profile'))
    client.fail(call, response, 'the class user_profile is missing');
}
