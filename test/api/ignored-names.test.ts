import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, openWorld, startApi, type World } from '../support/api.ts';

let api: Api;
let world: World;
let objects: string;

beforeAll(async () => {
  api = await startApi();
  world = await openWorld(api);
  const book = await world.dataClass('book', [
    { name: 'title', type: 'string', filter_index: true },
    { name: 'scan', type: 'file' },
  ]);
  objects = `${book}objects/`;
});
afterAll(() => api.close());

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function count(): Promise<number> {
  const { body } = await api.send({
    as: world.owner,
    path: `${objects}?include_count=true&page_size=0`,
  });
  return body.objects_count;
}

describe('JSON that is declared a form', () => {
  it.each(['{"title":"a"}', '[1]', '{}'])('%s stores nothing', async (body) => {
    const before = await count();

    const answer = await api.send({ as: world.owner, path: objects, body, headers: formType });

    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { detail: 'the body looks like JSON: send Content-Type: application/json' },
    });
    expect(answer.headers.get('X-Error-Code')).toBe('json_sent_as_form');
    expect(await count()).toBe(before);
  });

  it('a form is stored as before', async () => {
    const body = 'title={"a":1}';

    const answer = await api.send({ as: world.owner, path: objects, body, headers: formType });

    expect([answer.status, answer.body.title]).toEqual([201, '{"a":1}']);
  });
});
