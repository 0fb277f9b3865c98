import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

const library = '/v1.1/instances/library/';
const run = promisify(execFile);
const patience = { timeout: 15_000 }; // the log is written in the background, and the page is loaded again each time

describe.skipIf(program === undefined)('the overview of an instance', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [{ name: 'title', type: 'string' }];
    const body = { name: 'book', schema, other_permissions: 'read' };
    await view.send({ path: `${library}classes/`, body });
    const book = { title: 'Emma', other_permissions: 'read' };
    await view.send({ path: `${library}classes/book/objects/`, body: book });
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('of a new one has the next steps, %i px wide', async (width) => {
    await view.send({ path: '/v1.1/instances/', body: { name: `new-${width}` } });
    const tab = await view.open(`/i/new-${width}`, { width });
    const { page } = tab;

    await page.getByText('This instance is empty.').waitFor();
    await page.getByText('Your role: owner').waitFor();
    await tab.check();
    await page.getByRole('link', { name: 'New class' }).click();
    await page.waitForURL(/structure/);
    await page.goBack();
    await page.getByRole('link', { name: 'New script' }).click();
    await page.getByRole('button', { name: 'Create script' }).waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await page.getByText('No scripts yet.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goto('/console/#/');
    await page
      .getByRole('link', { name: `new-${width}` })
      .getByText('owner')
      .waitFor();
    await tab.close();
  });

  test.each(widths)('with a key that cannot read offers one that can, %i px', async (width) => {
    const base = `/v1.1/instances/blind-${width}/`;
    await view.send({ path: '/v1.1/instances/', body: { name: `blind-${width}` } });
    const book = { name: 'book', schema: [], other_permissions: 'none' };
    await view.send({ path: `${base}classes/`, body: book });
    await view.send({ path: `${base}api_keys/`, body: { description: 'sign-up' } });
    const tab = await view.open(`/i/blind-${width}`, { width });
    const { page } = tab;
    const connect = page.getByRole('region', { name: 'Connect' });
    const sample = connect.getByRole('region', { name: 'First request' });

    await connect.getByText('This key reads only for signed-in users of your app.').waitFor();
    expect(await sample.count()).toBe(0);
    await tab.check();
    await connect.getByRole('button', { name: 'New API key' }).click();
    await tab.check();
    await page.getByRole('button', { name: 'Create API key' }).click();
    await connect.getByText('This key can read no class yet').waitFor();
    expect(await sample.count()).toBe(0);
    await tab.check();
    await connect.getByRole('link', { name: 'let everyone read book' }).click();
    await page.waitForURL(/rights\/book/);
    const open = { other_permissions: 'read' };
    await view.send({ method: 'PATCH', path: `${base}classes/book/`, body: open });
    await page.goBack();
    await sample.getByText('/classes/book/objects/').waitFor();
    await tab.close();
  });

  test.each(['', '/health'])('of a busy instance takes few requests: %j', async (screen) => {
    const name = `busy${screen.length}`;
    const base = `/v1.1/instances/${name}/`;
    await view.send({ path: '/v1.1/instances/', body: { name } });
    await view.send({ path: `${base}classes/`, body: { name: 'book', schema: [] } });
    for (let at = 0; at < 10; at += 1) {
      const source = { label: `s${at}`, source: 'throw new Error()', runtime_name: 'nodejs_v8' };
      const { body } = await view.send({ path: `${base}snippets/scripts/`, body: source });
      const of = { label: `r${at}`, script: body.id };
      const trigger = { ...of, class: 'book', signal: 'post_create' };
      await view.send({ path: `${base}triggers/`, body: trigger });
      await view.send({ path: `${base}schedules/`, body: { ...of, interval_sec: 3600 } });
      const endpoint = { name: `e${at}`, script: body.id };
      await view.send({ path: `${base}endpoints/scripts/`, body: endpoint });
      await view.send({ path: `${base}endpoints/scripts/e${at}/run/`, body: {} });
    }
    const tab = await view.open('/account');
    const { page } = tab;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/v1.1/') || request.url().endsWith('/health')) {
        sent.push(new URL(request.url()).pathname);
      }
    });

    await page.evaluate(`location.hash = '/i/${name}${screen}'`);
    await page.getByText('10').first().waitFor();
    await page.getByText(/^Needs attention: /).waitFor();
    await page.waitForLoadState('networkidle');

    process.stdout.write(`${screen || 'overview'}: ${sent.length} requests\n`);
    expect(sent.length).toBeLessThan(20);
    await page.getByRole('link', { name: '9 other failed runs' }).waitFor();
    await tab.close();
  });

  test('has no number of requests for those who may not see it', async () => {
    const figure = /Requests, 24 h$/;
    const own = await view.open('/i/library');
    const text = await own.page.getByRole('link', { name: figure }).textContent();
    expect(text).toMatch(/^\d+ Requests/);
    await own.close();
    const tab = await view.open('/i/library', { key: await view.join('full') });

    await tab.page.getByRole('link', { name: 'Objects stored' }).waitFor();
    expect(await tab.page.getByRole('link', { name: figure }).count()).toBe(0);
    await tab.check();
    await tab.close();
  });

  test('connects an app: with a key of its own, and code that works', async () => {
    const tab = await view.open('/i/library');
    const { page } = tab;
    const connect = page.getByRole('region', { name: 'Connect' });
    await connect.getByText(`${view.url}/v1.1/instances/library/`).first().waitFor();
    await connect.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name').fill('my shop');
    await tab.check();
    await page.getByRole('button', { name: 'Create API key' }).click();

    const copy = async (language: string) => {
      await connect.getByRole('button', { name: language, exact: true }).click();
      await connect.locator('[aria-pressed=true]', { hasText: language }).waitFor();
      await connect.getByRole('button', { name: `Copy First request: ${language}` }).click();
      return page.evaluate('navigator.clipboard.readText()') as Promise<string>; // a text
    };
    const { body: keys } = await expect
      .poll(async () => (await view.send({ path: `${library}api_keys/` })).body.objects.length)
      .toBe(1)
      .then(() => view.send({ path: `${library}api_keys/` }));
    const key: string = keys.objects[0].api_key;
    await connect.getByRole('option', { name: 'my shop' }).waitFor({ state: 'attached' });
    expect(await connect.textContent()).not.toContain(key);

    const curl = await copy('curl');
    expect(curl).toContain(key);
    expect((await run('sh', ['-c', curl])).stdout).toContain('"Emma"');
    const program = await copy('JavaScript');
    const node = await run(process.execPath, ['--input-type=module', '-e', program]);
    expect(node.stdout).toContain("'Emma'");
    expect((await run('python3', ['-c', await copy('Python')])).stdout).toContain('"Emma"');
    expect(await copy('Typed client')).toContain(`"url": "${view.url}"`);
    await connect.getByRole('button', { name: 'Show the key' }).click();
    await connect.getByText(key).waitFor();
    await tab.check();
    await tab.close();
  });

  test('has the side bar at the place where the objects of a class have it', async () => {
    const tab = await view.open('/i/library');
    const { page } = tab;
    const link = page.getByRole('link', { name: 'book', exact: true });
    const before = await link.boundingBox();
    await link.click();
    await page.getByRole('grid').waitFor();
    expect(await link.boundingBox()).toEqual(before);
    await tab.close();
  });

  test('says what changed in words, with a link to it', async () => {
    const objects = `${library}classes/book/objects/`;
    const { id } = (await view.send({ path: objects, body: { title: 'Emma' } })).body;
    await view.send({ method: 'PATCH', path: `${objects}1/`, body: { title: 'Persuasion' } });
    await view.send({ method: 'DELETE', path: `${objects}${id}/` });
    await view.send({ path: `${library}users/`, body: { username: 'ada', password: 'x' } });
    await view.send({ path: `${library}groups/`, body: { label: 'readers' } });
    await view.send({ path: `${library}groups/1/users/`, body: { user: 1 } });
    const about = { description: 'paper' };
    await view.send({ method: 'PATCH', path: `${library}classes/book/`, body: about });
    const tab = await view.open('/i/library');
    const { page } = tab;
    const changes = page.getByRole('region', { name: 'Latest changes' });
    await expect
      .poll(async () => {
        await page.reload();
        return (await changes.getByRole('listitem').allTextContents()).map((text) =>
          text.replace(/(ed)(?!.*ed).*$/, '$1'),
        );
      }, patience)
      .toEqual([
        'Class book changed',
        'User of group 1 added',
        'Group created',
        'User created',
        `Object ${id} of book deleted`,
        'Object 1 of book changed',
      ]);
    const hrefOf = (name: string) => changes.getByRole('link', { name }).getAttribute('href');

    expect(await hrefOf('Class book changed')).toBe('#/i/library/data/book');
    expect(await hrefOf('Object 1 of book')).toBe('#/i/library/data/book/1');
    expect(await hrefOf('User of group 1 added')).toBe('#/i/library/groups/1');
    await tab.close();
  });

  test('has batches that may have changed something, and none that only read', async () => {
    const path = '/v1.1/instances/library/classes/book/objects/';
    const requests = [{ method: 'POST', path, body: { title: 'Sanditon' } }];
    await view.send({ path: `${library}batch/`, body: { requests } });
    const tab = await view.open('/i/library');
    const { page } = tab;
    const changes = page.getByRole('region', { name: 'Latest changes' });
    const batches = changes.getByRole('listitem').filter({ hasText: 'Batch of requests sent' });
    await expect
      .poll(async () => {
        await page.reload(); // it reads with batches
        await changes.waitFor();
        return batches.count();
      }, patience)
      .toBe(1);
    await batches.getByRole('link').first().click();
    await page.getByRole('dialog').getByText('POST /batch/').waitFor();
    await tab.close();
  });

  test('the record of the instance is read again after a change of it', async () => {
    const tab = await view.open('/i/library/settings');
    const { page } = tab;
    await page.getByLabel('Description').fill('All books');
    await page.evaluate('{ const { now } = Date; Date.now = () => now() + 61_000; }'); // the role is learned again
    await page.route('**/instances/library/', async (route) => {
      if (route.request().method() === 'PATCH') await page.waitForTimeout(500);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/^All books · /).waitFor();
    await tab.close();
  });

  test.each([
    ['', 'Connect'],
    ['/settings', 'Description'],
    ['/scripts', 'Scripts'],
  ])('the record of the instance is read once: %j', async (screen, text) => {
    const tab = await view.open('/account');
    const { page } = tab;
    const read: string[] = [];
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === library) read.push(request.method());
    });

    await page.evaluate(`location.hash = '/i/library${screen}'`);
    await page.getByText(text).last().waitFor();
    await page.waitForLoadState('networkidle');
    expect(read).toEqual(['GET']);
    await tab.close();
  });

  test.each(widths)('shows what failed and what changed, %i px wide', async (width) => {
    const script = {
      label: `fails ${width}`,
      source: 'throw new Error("no")',
      runtime_name: 'nodejs_v6',
    };
    const { id } = (await view.send({ path: `${library}snippets/scripts/`, body: script })).body;
    await view.send({ path: `${library}snippets/scripts/${id}/run/`, body: {} });
    await view.send({ path: `${library}classes/none/`, expect: [404] });
    const tab = await view.open('/i/library', { width });
    const { page } = tab;
    const name = `Script fails ${width} failed`; // the latest one
    const failed = page.getByRole('status').getByRole('link', { name });

    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole('link', { name: 'Objects stored' }).waitFor();
        return failed.count();
      }, patience)
      .toBe(1);
    await page.getByRole('link', { name: /^\d+ Errors, 24 h$/ }).waitFor();
    await page.getByRole('link', { name: /^\d+ Requests, 24 h$/ }).waitFor();
    const changes = page.getByRole('region', { name: 'Latest changes' });
    expect(await changes.getByText('/batch/').count()).toBe(0); // this screen reads with them
    await tab.check();
    await failed.click();
    await page.getByText('Error: no').first().waitFor();
    await page.goBack();
    await changes.getByRole('link', { name: 'Script created', exact: true }).first().click();
    await page.getByRole('dialog').getByText('201').waitFor();
    await tab.close();
  });
});
