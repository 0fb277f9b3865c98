import { beforeEach, describe, expect, it } from 'vitest';
import { readRange } from '../../shared/store/entity.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import {
  runQueueEntity,
  triggerEntity,
  triggerEventEntity,
} from '../../shared/table/entities/scripts.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { dataIdOf } from '../support/moved-store.ts';
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
import { makeScript, makeTrigger, settleTriggers } from '../support/triggers.ts';

/** The records of triggers; their runs are in trigger-runs.test.ts. */

let world: World;
let count = 0;

useApi();
beforeEach(async () => {
  count += 1;
  world = await openWorld(api, `blog-${count}`);
  await world.dataClass('book', []);
  await makeScript(world, 'console.log("ran")');
});

const call = (method: string, path: string, body?: unknown) =>
  world.call(world.owner, method, path, body);
const valid = { signal: 'post_create', class: 'book', script: 1 };

function linksOf(id: number, className = 'book', script = 1) {
  const { base } = world;
  return {
    self: `${base}triggers/${id}/`,
    script: `${base}snippets/scripts/${script}/`,
    class: `${base}classes/${className}/`,
    traces: `${base}triggers/${id}/traces/`,
  };
}

describe('a trigger', () => {
  it('is created with a signal, a class and a script', async () => {
    const { status, body } = await call('POST', 'triggers/', { ...valid, class: ' Book' });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: 1,
      label: '',
      description: '',
      ...valid,
      created_at: time,
      updated_at: body.created_at,
      links: linksOf(1),
    });
    expect((await call('GET', 'triggers/1/')).body).toEqual(body);
    expect((await call('GET', 'triggers/')).body).toEqual({
      next: null,
      prev: null,
      objects: [body],
    });
    expect((await call('GET', 'triggers/1/traces/')).body.objects).toEqual([]);
  });

  it('may be of the class of profiles', async () => {
    const { body } = await call('POST', 'triggers/', { ...valid, class: 'user_profile' });

    expect(body).toMatchObject({ class: 'user_profile', links: linksOf(1, 'user_profile') });
  });

  it('is changed in part by PATCH; PUT requires all but label and description', async () => {
    const sent = { ...valid, label: 'l', description: 'd' };
    const made = expected(await call('POST', 'triggers/', sent), 201);
    await world.dataClass('page', []);
    const script = await makeScript(world, '');

    const patched = await call('PATCH', 'triggers/1/', { signal: 'post_delete' });
    const body = { signal: 'post_update', class: 'page', script };
    const replaced = await call('PUT', 'triggers/1/', body);
    const refused = await call('PUT', 'triggers/1/', {});

    expect(patched.body).toEqual({ ...made, signal: 'post_delete', updated_at: time });
    expect(replaced.body).toEqual({
      ...made,
      ...body,
      updated_at: time,
      links: linksOf(1, 'page', script),
    });
    expect(replaced.body.updated_at > made.updated_at).toBe(true);
    const errors = { signal: required, class: required, script: required };
    expect([refused.status, refused.body]).toEqual([400, errors]);
  });

  it('is deleted', async () => {
    await makeTrigger(world, { signal: 'create' });

    expect((await call('DELETE', 'triggers/1/')).status).toBe(204);

    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const { status, body } = await call(method, 'triggers/1/');
      expect([method, status, body]).toEqual([method, 404, missing]);
    }
    const traces = await call('GET', 'triggers/1/traces/');
    expect([traces.status, traces.body]).toEqual([404, { detail: 'Trigger was not found.' }]);
  });

  it('names its script as a codebox in version 1', async () => {
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
  it.each([
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
  ])('%s of %j', async (field, value, messages) => {
    const { status, body } = await call('POST', 'triggers/', { ...valid, [field]: value });

    expect([status, body]).toEqual([400, { [field]: messages }]);
    expect((await call('GET', 'triggers/')).body.objects).toEqual([]);
  });

  it('all are reported together', async () => {
    const { body } = await call('POST', 'triggers/', { class: 'foo', script: 7 });

    expect(body).toEqual({ signal: required, class: noClass('foo'), script: noPk(7) });
  });

  it('more than a hundred triggers, also at once', async () => {
    for (let n = 0; n < 98; n += 1) await makeTrigger(world, { signal: 'delete' });

    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call('POST', 'triggers/', valid)));

    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400, 400]);
    const refused = await call('POST', 'triggers/', valid);
    expect(refused.body).toEqual({ detail: 'Trigger count exceeded (100).' });
    expected(await call('DELETE', 'triggers/1/'), 204);
    expected(await call('POST', 'triggers/', valid), 201);
  });
});

describe('with its class or script', () => {
  it.each([
    ['class', 'classes/book/'],
    ['script', 'snippets/scripts/1/'],
  ])('%s it is deleted at once, and what belongs to it later', async (_, path) => {
    await world.dataClass('page', []);
    const script = await makeScript(world, '');
    const first = await makeTrigger(world, { signal: 'create' });
    const other = await makeTrigger(world, { signal: 'create', class: 'page', script });
    expected(await call('POST', 'classes/book/objects/', {}), 201);
    await settleTriggers(world);
    expect(await kept()).toContain('TRACES-trigger-1 0000000001');

    expected(await call('DELETE', path), 204);

    const at = `triggers/${first}/`;
    const answers = await Promise.all([
      call('GET', at),
      call('PATCH', at, {}),
      call('DELETE', at),
      call('GET', `${at}traces/`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(column(await call('GET', 'triggers/'), 'id')).toEqual([other]);
    for (let n = 0; n < 5; n += 1) await api.platform.idle(); // one job plans the next
    expect(await kept()).toEqual([`TRIGGER#000000000${other}`, 'TRIGGERRATE', 'TRIGGERS']);
  });

  it('deleted separately, its runs are deleted too, those that wait as well', async () => {
    const script = await makeScript(world, 'setTimeout(() => {}, 1500)');
    await makeTrigger(world, { signal: 'update', script });
    const { id } = expected(await call('POST', 'classes/book/objects/', {}), 201);
    for (let n = 0; n < 3; n += 1)
      expected(await call('PATCH', `classes/book/objects/${id}/`, {}), 200);
    const isWaiting = (key: string) => key.startsWith('RUNQUEUES ');
    await expect.poll(async () => (await kept()).filter(isWaiting).length).toBeGreaterThan(1);

    expected(await call('DELETE', 'triggers/1/'), 204);
    await settleTriggers(world);
    await api.platform.idle();

    expect(await kept()).toEqual(['TRIGGERRATE', 'TRIGGERS']);
  });

  it('of its instance, nothing remains', async () => {
    await makeTrigger(world, { signal: 'create' });
    expected(await call('POST', 'classes/book/objects/', {}), 201);
    await settleTriggers(world);

    expected(await call('DELETE', ''), 204);
    await api.platform.idle();

    expect(await kept()).toEqual([]);
  });

  /** Returns the keys of what the world has of triggers, their events and the runs of the first one. */
  async function kept(): Promise<readonly string[]> {
    const { store } = api.platform;
    const partitions = [
      triggerEntity.partition(dataIdOf(count)),
      triggerEventEntity.partition(dataIdOf(count)),
      runQueueEntity.partition(dataIdOf(count)),
      traceEntity.partition(dataIdOf(count), 'trigger', 1),
    ];
    const items = await Promise.all(partitions.map((pk) => readRange(store, { pk })));
    return items
      .flat()
      .map(({ key }) => key)
      .filter(({ pk, sk }) => pk !== partitions[0] || sk.startsWith('TRIGGER'))
      .map(({ pk, sk }) => `${pk.split('#').slice(2).join('-')} ${sk}`.trim());
  }
});

it('the list is paged by id, and filtered by the prefix of labels', async () => {
  for (const label of ['a', 'b', 'ab']) await call('POST', 'triggers/', { ...valid, label });

  const first = await call('GET', 'triggers/?page_size=2');
  const second = await api.send({ as: world.owner, path: first.body.next });
  const filtered = await call('GET', 'triggers/?label__startswith=a&ordering=desc');

  const pages = [first, second, filtered].map((page) => column(page, 'label').join());
  expect(pages).toEqual(['a,b', 'ab', 'ab,a']);
});
