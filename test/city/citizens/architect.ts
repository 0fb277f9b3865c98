import type { Citizen, Life } from '../citizen.ts';
import { makeShelf, type Shelf } from '../shelf.ts';

const index = { filter_index: true, order_index: true };
const kept = { name: 'kept', type: 'string' };
/** Schemas of a class over time. All contain `kept`, whose values must not change. */
const schemas = [
  [kept],
  [{ ...kept, ...index }],
  [
    { ...kept, filter_index: true },
    { name: 'extra', type: 'integer', ...index },
  ],
  [{ name: 'other', type: 'text' }, kept],
  [
    kept,
    { name: 'place', type: 'geopoint', filter_index: true },
    { name: 'day', type: 'datetime' },
  ],
];
const slowestReadyMs = 120_000; // jobs of a killed server continue after a minute

/** Changes schemas while objects are written, and deletes and creates classes. */
export const architect: Citizen = {
  name: 'architect',
  homes: ['small', 'medium'],
  settle: async (life) => {
    const shelf = await makeShelf(life, 'plans', [kept]);
    for (let n = 0; n < 30; n += 1) await shelf.create({ kept: `${n} ${life.home.mark}` });
    const path = shelf.path.replace(/objects\/$/, '');
    const acts = [
      () => changeSchema(life, path, shelf),
      () => write(life, shelf),
      () => write(life, shelf),
      () => shelf.verify(),
      () => rebuild(life),
    ];
    return { act: () => life.random.pick(acts)(), verify: shelf.verify, arrive: shelf.verify };
  },
};

async function changeSchema(life: Life, path: string, shelf: Shelf): Promise<void> {
  const { client, home, random } = life;
  const schema = random.pick(schemas);
  const call = { method: 'PATCH', path, key: home.accountKey, body: { schema } };
  await ready(life, path);
  await client.expect(call, 200);
  await write(life, shelf); // while it may be migrating
  await ready(life, path);
}

/** Waits for the indexes of a class, which accepts no change while they are built. */
async function ready({ client, home }: Life, path: string): Promise<void> {
  const endMs = performance.now() + slowestReadyMs;
  for (;;) {
    const { body } = await client.expect({ path, key: home.accountKey }, 200);
    if (body.status === 'ready') return;
    if (performance.now() > endMs) client.broken(`GET ${path}: ${body.status} for two minutes`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function write({ random, home }: Life, { ledger, update, create, remove }: Shelf) {
  const id = random.pick(ledger.ids());
  await update(id, { kept: `${random.word(8)} ${home.mark}` });
  if (random.chance(0.3)) await create({ kept: `${random.word(8)} ${home.mark}` });
  else if (ledger.ids().length > 20) await remove(id);
}

/** Checks that a class with the name of a deleted one is empty. */
async function rebuild(life: Life): Promise<void> {
  const { client, home, prefix } = life;
  const name = `${prefix}_draft`;
  const path = `${home.base}classes/${name}/`;
  const as = { key: home.accountKey };
  await client.expect({ ...as, method: 'DELETE', path }, 204, 404);
  await client.expect({ ...as, path }, 404);
  await client.expect({ ...as, path: `${home.base}classes/`, body: { name, schema: [kept] } }, 201);
  const call = { ...as, path: `${path}objects/` };
  const { body } = await client.expect(call, 200);
  if (body.objects.length > 0) client.broken(`GET ${path}objects/: objects of a deleted class`);
  await client.expect({ ...call, body: { kept: home.mark } }, 201);
}
