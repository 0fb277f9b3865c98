import { describe, expect } from 'vitest';
import { readRange } from '../../shared/store/entity.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import {
  runQueueEntity,
  triggerEntity,
  triggerEventEntity,
} from '../../shared/table/entities/scripts.ts';
import { expected, type World } from '../support/api.ts';
import { newWorldTest } from '../support/fixtures.ts';
import {
  column,
  isNull,
  missing,
  noChoice,
  noPk,
  required,
  time,
  tooLong,
} from '../support/responses.ts';
import { instanceId } from '../support/stored-records.ts';
import { makeScript, makeTrigger, settleTriggers } from '../support/triggers.ts';

/* The records of triggers; their runs are in trigger-runs.test.ts. */

const it = newWorldTest('blog').extend('instance', { auto: true }, ({ world }) => setUp(world));

const valid = { signal: 'post_create', class: 'book', script: 1 };

describe('a trigger', () => {
  it('is created with a signal, a class and a script', async ({ world }) => {
    const { status, body } = await world.own('POST', 'triggers/', { ...valid, class: ' Book' });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: 1,
      label: '',
      description: '',
      ...valid,
      created_at: time,
      updated_at: body.created_at,
      links: linksOf(world, 1),
    });
    expect((await world.own('GET', 'triggers/1/')).body).toEqual(body);
    expect((await world.own('GET', 'triggers/')).body).toEqual({
      next: null,
      prev: null,
      objects: [body],
    });
    expect((await world.own('GET', 'triggers/1/traces/')).body.objects).toEqual([]);
  });

  it('may be of the class of profiles', async ({ world }) => {
    const { body } = await world.own('POST', 'triggers/', { ...valid, class: 'user_profile' });

    expect(body).toMatchObject({ class: 'user_profile', links: linksOf(world, 1, 'user_profile') });
  });

  it('is changed in part by PATCH; PUT requires all but label and description', async ({
    world,
  }) => {
    const sent = { ...valid, label: 'l', description: 'd' };
    const made = expected(await world.own('POST', 'triggers/', sent), 201);
    await world.dataClass('page', []);
    const script = await makeScript(world, '');

    const patched = await world.own('PATCH', 'triggers/1/', { signal: 'post_delete' });
    const body = { signal: 'post_update', class: 'page', script };
    const replaced = await world.own('PUT', 'triggers/1/', body);
    const refused = await world.own('PUT', 'triggers/1/', {});

    expect(patched.body).toEqual({ ...made, signal: 'post_delete', updated_at: time });
    expect(replaced.body).toEqual({
      ...made,
      ...body,
      updated_at: time,
      links: linksOf(world, 1, 'page', script),
    });
    expect(replaced.body.updated_at > made.updated_at).toBe(true);
    const errors = { signal: required, class: required, script: required };
    expect([refused.status, refused.body]).toEqual([400, errors]);
  });

  it('is deleted', async ({ world }) => {
    await makeTrigger(world, { signal: 'create' });

    expect((await world.own('DELETE', 'triggers/1/')).status).toBe(204);

    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const { status, body } = await world.own(method, 'triggers/1/');
      expect([method, status, body]).toEqual([method, 404, missing]);
    }
    const traces = await world.own('GET', 'triggers/1/traces/');
    expect([traces.status, traces.body]).toEqual([404, { detail: 'Trigger was not found.' }]);
  });

  it('names its script as a codebox in version 1', async ({ api, world }) => {
    const path = `/v1/instances/${world.instance}/triggers/`;
    const as = world.owner;
    const { script: codebox, ...others } = valid;

    const { body } = await api.send({ as, path, body: { ...others, codebox } });
    const wrong = await api.send({ as, path, body: { ...others, codebox: 7 } });

    expect(body).toMatchObject({ ...others, codebox: 1 });
    expect(body.links.codebox).toBe(`/v1/instances/${world.instance}/codeboxes/1/`);
    expect(wrong.body).toEqual({ codebox: noPk(7) });
  });
});

describe('rejected values', () => {
  const noClass = (name: string) => [`Object with name=${name} does not exist.`];
  it.for<[string, unknown, unknown]>([
    ['label', 'a'.repeat(81), tooLong(80)],
    ['description', 'a'.repeat(257), tooLong(256)],
    ['signal', undefined, required],
    ['signal', 'create', noChoice('create')],
    ['signal', 0, noChoice('0')],
    ['class', undefined, required],
    ['class', null, isNull],
    ['class', 'foo', noClass('foo')],
    ['class', 'a'.repeat(2000), noClass('a'.repeat(2000))],
    ['class', 'a#b', noClass('a#b')],
    ['script', undefined, required],
    ['script', 7, noPk(7)],
    ['script', 'x', ['Incorrect type. Expected pk value, received str.']],
  ])('%s of %j', async ([field, value, messages], { world }) => {
    const { status, body } = await world.own('POST', 'triggers/', { ...valid, [field]: value });

    expect([status, body]).toEqual([400, { [field]: messages }]);
    expect((await world.own('GET', 'triggers/')).body.objects).toEqual([]);
  });

  it('all are reported together', async ({ world }) => {
    const { body } = await world.own('POST', 'triggers/', { class: 'foo', script: 7 });

    expect(body).toEqual({ signal: required, class: noClass('foo'), script: noPk(7) });
  });

  it('more than a hundred triggers, also at once', async ({ world }) => {
    for (let n = 0; n < 98; n += 1) await makeTrigger(world, { signal: 'delete' });

    const responses = await Promise.all(
      [1, 2, 3, 4, 5].map(() => world.own('POST', 'triggers/', valid)),
    );

    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400]);
    const refused = await world.own('POST', 'triggers/', valid);
    expect(refused.body).toEqual({ detail: 'Trigger count exceeded (100).' });
    expected(await world.own('DELETE', 'triggers/1/'), 204);
    expected(await world.own('POST', 'triggers/', valid), 201);
  });
});

describe('with its class or script', () => {
  it.for([
    ['class', 'classes/book/'],
    ['script', 'snippets/scripts/1/'],
  ])(
    '%s it is deleted at once, and what belongs to it later',
    async ([_, path = ''], { api, world, instance }) => {
      await world.dataClass('page', []);
      const script = await makeScript(world, '');
      const first = await makeTrigger(world, { signal: 'create' });
      const other = await makeTrigger(world, { signal: 'create', class: 'page', script });
      expected(await world.own('POST', 'classes/book/objects/', {}), 201);
      await settleTriggers(world);
      expect(await kept(world, instance)).toContain('TRACES-trigger-1 0000000001');

      expected(await world.own('DELETE', path), 204);

      const at = `triggers/${first}/`;
      const responses = await Promise.all([
        world.own('GET', at),
        world.own('PATCH', at, {}),
        world.own('DELETE', at),
        world.own('GET', `${at}traces/`),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect(column(await world.own('GET', 'triggers/'), 'id')).toEqual([other]);
      for (let n = 0; n < 5; n += 1) await api.platform.idle(); // one job plans the next
      expect(await kept(world, instance)).toEqual([
        `TRIGGER#000000000${other}`,
        'TRIGGERRATE',
        'TRIGGERS',
      ]);
    },
  );

  it('deleted separately, its runs are deleted too, those that wait as well', async ({
    api,
    world,
    instance,
  }) => {
    const script = await makeScript(world, 'setTimeout(() => {}, 1500)');
    await makeTrigger(world, { signal: 'update', script });
    const { id } = expected(await world.own('POST', 'classes/book/objects/', {}), 201);
    for (let n = 0; n < 3; n += 1)
      expected(await world.own('PATCH', `classes/book/objects/${id}/`, {}), 200);
    const isWaiting = (key: string) => key.startsWith('RUNQUEUES ');
    await expect
      .poll(async () => (await kept(world, instance)).filter(isWaiting).length)
      .toBeGreaterThan(1);

    expected(await world.own('DELETE', 'triggers/1/'), 204);
    await settleTriggers(world);
    await api.platform.idle();

    expect(await kept(world, instance)).toEqual(['TRIGGERRATE', 'TRIGGERS']);
  });

  it('of its instance, nothing remains', async ({ api, world, instance }) => {
    await makeTrigger(world, { signal: 'create' });
    expected(await world.own('POST', 'classes/book/objects/', {}), 201);
    await settleTriggers(world);

    expected(await world.own('DELETE', ''), 204);
    await api.platform.idle();

    expect(await kept(world, instance)).toEqual([]);
  });

  /** Returns the keys of what the world has of triggers, their events and the runs of the first one. */
  async function kept({ api }: World, instance: number): Promise<readonly string[]> {
    const { store } = api.platform;
    const partitions = [
      triggerEntity.partition(instance),
      triggerEventEntity.partition(instance),
      runQueueEntity.partition(instance),
      traceEntity.partition(instance, 'trigger', 1),
    ];
    const items = await Promise.all(partitions.map((pk) => readRange(store, { pk })));
    return items
      .flat()
      .map(({ key }) => key)
      .filter(({ pk, sk }) => pk !== partitions[0] || sk.startsWith('TRIGGER'))
      .map(({ pk, sk }) => `${pk.split('#').slice(2).join('-')} ${sk}`.trim());
  }
});

it('the list is paged by id, and filtered by the prefix of labels', async ({ api, world }) => {
  for (const label of ['a', 'b', 'ab']) await world.own('POST', 'triggers/', { ...valid, label });

  const first = await world.own('GET', 'triggers/?page_size=2');
  const second = await api.send({ as: world.owner, path: first.body.next });
  const filtered = await world.own('GET', 'triggers/?label__startswith=a&ordering=desc');

  const pages = [first, second, filtered].map((page) => column(page, 'label').join());
  expect(pages).toEqual(['a,b', 'ab', 'ab,a']);
});

/** Creates a class and a script; returns the data id of the instance. */
async function setUp(world: World): Promise<number> {
  await world.dataClass('book', []);
  await makeScript(world, 'console.log("ran")');
  return instanceId(world.api.platform.store, world.instance);
}

function linksOf({ base }: World, id: number, className = 'book', script = 1) {
  return {
    self: `${base}triggers/${id}/`,
    script: `${base}snippets/scripts/${script}/`,
    class: `${base}classes/${className}/`,
    traces: `${base}triggers/${id}/traces/`,
  };
}
