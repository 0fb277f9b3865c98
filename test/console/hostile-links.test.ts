import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program } from './console-page.ts';

/** Links that an attacker may send: the browser resolves the last segment of a path that is made of it. */
const links = ['triggers', 'schedules', 'users', 'channels', 'groups', 'templates'].flatMap(
  (list) => [`${list}/%2e%2e`, `${list}/..`, `${list}/%2E.`],
);

describe.skipIf(program === undefined)('a link into the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(links)('#/i/library/%s deletes nothing', async (link) => {
    const { body: before } = await view.send({ path: '/v1.1/instances/' });
    if (before.objects.length === 0) {
      await view.send({ path: '/v1.1/instances/', body: { name: 'library' } }); // a case before has deleted it
    }
    const tab = await view.open(`/i/library/${link}`);
    const { page } = tab;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'DELETE') sent.push(new URL(request.url()).pathname);
    });
    await page.getByText('Loading…').first().waitFor({ state: 'detached' });

    const remove = page.getByRole('button', { name: /^Delete/ });
    const isOffered = (await remove.count()) > 0;
    if (isOffered) {
      await remove.first().click();
      const asked = page.getByRole('dialog');
      const name = asked.getByRole('textbox');
      if ((await name.count()) > 0)
        await name.fill((await asked.locator('strong').textContent()) ?? '');
      await asked.getByRole('button', { name: /^Delete/ }).click();
      await page.waitForTimeout(500);
    }

    expect({ isOffered, sent }).toEqual({ isOffered: false, sent: [] });
    const { status } = await view.send({ path: '/v1.1/instances/library/', expect: [200, 404] });
    expect(status).toBe(200);
    await page.context().close();
  });
});
