import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';
import { writeCode } from './write-code.ts';

const hostile = '<img src=x onerror="window.ran=1"><script>window.ran=2</script>';

describe.skipIf(program === undefined)('automation in the console', () => {
  let view: Console;
  let script = '';
  const library = '/v1.1/instances/library/';

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [{ name: 'title', type: 'string', filter_index: true, order_index: true }];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    await view.send({ path: `${library}classes/book/objects/`, body: { title: 'Emma' } });
    const source = 'console.log("seen", ARGS.title)';
    const body = { label: 'watcher', source, runtime_name: 'nodejs_v8' };
    const { body: made } = await view.send({ path: `${library}snippets/scripts/`, body });
    script = String(made.id);
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a trigger is made, and its run appears, %i px wide', async (width) => {
    const tab = await view.open('/i/library/triggers', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'New trigger' }).first().click();
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await expect.poll(() => page.getByText('Choose one.').count()).toBe(2);
    await tab.check();
    await page.getByLabel('Label').fill(`new books ${width}`);
    await page.getByLabel('Class').selectOption('book');
    await page.getByLabel('Script to run').selectOption(script);
    expect(await page.getByText('Choose one.').count()).toBe(0);
    await tab.check();
    await page.getByRole('button', { name: 'Create trigger' }).click();
    await page.getByRole('heading', { level: 1, name: `new books ${width}` }).waitFor();
    await view.send({ path: `${library}classes/book/objects/`, body: { title: hostile } });
    await page.getByRole('button', { name: /^Run \d/ }).click();
    await page.getByText(`seen ${hostile}`).waitFor();
    await page.getByText(/^Object \d+ of book was created\.$/).waitFor();
    await page.getByRole('region', { name: 'Arguments' }).getByText('"title": "<img').waitFor();
    await tab.check();
    const cause = page.getByRole('link', { name: /^Object \d+$/ });
    expect(await cause.getAttribute('href')).toMatch(/^#\/i\/library\/data\/book\/\d+$/);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete trigger' }).click();
    await page.getByRole('heading', { level: 1, name: 'Triggers' }).waitFor();
    await tab.check();
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await tab.close();
  });

  test.each(widths)('a run of a trigger says first what happened, %i px wide', async (width) => {
    const label = `changed ${width}`;
    const watch = { label, class: 'book', signal: 'post_update', script };
    const { id } = (await view.send({ path: `${library}triggers/`, body: watch })).body;
    const user = { username: `ada${width}`, password: 'a password' };
    const { body: ada } = await view.send({ path: `${library}users/`, body: user });
    const book = { path: `${library}classes/book/objects/`, body: { title: 'A', owner: ada.id } };
    const made = (await view.send(book)).body;
    const path = `${book.path}${made.id}/`;
    const body = { title: 'B', other_permissions: 'full' };
    await view.send({ method: 'PATCH', path, body });
    const tab = await view.open(`/i/library/triggers/${id}`, { width });
    const { page } = tab;

    await page.getByRole('button', { name: /^Run \d/ }).click();
    const change = `Object ${made.id} of book was changed: other_permissions, title.`;
    const cause = page.getByText(`${change} It belongs to`);
    await cause.waitFor();
    const owner = cause.getByRole('link', { name: `user ${ada.id}` });
    expect(await owner.getAttribute('href')).toBe(`#/i/library/users/${ada.id}`);
    const log = page.getByRole('link', { name: 'request that changed it' });
    expect(await log.getAttribute('href')).toBe('#/i/library/requests?show=all&status=2xx');
    const args = await page.getByRole('region', { name: 'Arguments' }).textContent();
    expect(Object.keys(JSON.parse(args ?? ''))).toEqual([
      'title',
      ...['id', 'created_at', 'updated_at', 'revision', 'owner', 'owner_permissions'],
      ...['group', 'group_permissions', 'other_permissions', 'channel', 'channel_room'],
    ]);
    await tab.check();
    await tab.close();
  });

  test.each(widths)('a schedule shows its next run, %i px wide', async (width) => {
    const tab = await view.open('/i/library/schedules', { width, isDark: true });
    const { page } = tab;

    await page.getByRole('button', { name: 'New schedule' }).first().click();
    await page.getByLabel('Label').fill(`nightly ${width}`);
    await page.getByLabel('Script to run').selectOption(script);
    await page.getByLabel('Runs').selectOption('interval');
    await page.getByLabel('Every').fill('1.5');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText('Enter a whole number.').waitFor();
    await page.getByLabel('Runs').selectOption('crontab');
    await page.getByLabel('Crontab').fill('60 3 * * *');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page
      .getByText('Not a valid crontab, "60" does not fit the minute (0-59).')
      .last()
      .waitFor();
    await tab.check();
    await page.getByLabel('Crontab').fill('30 3 * * *');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByText(/3:30 AM GMT\+[12]/).waitFor();
    await tab.check();
    await page.getByRole('link', { name: 'Schedules' }).first().click();
    await page
      .getByRole('row', { name: `nightly ${width}` })
      .getByText('none in 24 hours')
      .waitFor();
    await tab.check();
    await tab.close();
  });

  test.each(widths)('a channel shows messages as they are published, %i px wide', async (width) => {
    const tab = await view.open('/i/library/channels', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'New channel' }).click();
    await page.getByLabel('Name').fill(`chat${width}`);
    await page.getByLabel('Rooms').selectOption('separate_rooms');
    await tab.check();
    await page.getByRole('button', { name: 'Create channel' }).click();
    await page.getByLabel('Room', { exact: true }).fill('lobby');
    await page.getByRole('button', { name: 'Open room' }).click();
    await page.getByText('live', { exact: true }).waitFor();
    const payload = { text: hostile };
    const message = {
      path: `${library}channels/chat${width}/publish/`,
      body: { room: 'lobby', payload },
    };
    await view.send(message);
    await page.getByRole('region', { name: 'Live messages' }).getByText('onerror').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('stopped', { exact: true }).waitFor();
    await page.getByLabel('Payload (JSON)').fill('{ "text": "from here" }');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText(/Message \d+ published/).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('region', { name: 'Kept messages' }).getByText('from here').waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByRole('region', { name: 'Live messages' }).getByText('from here').waitFor();
    await tab.check();
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await tab.close();
  });

  test.each(widths)(
    'a template is previewed, and nothing of it runs, %i px wide',
    async (width) => {
      const tab = await view.open('/i/library/templates', { width });
      const { page } = tab;

      await page.getByRole('button', { name: 'New template' }).click();
      await page.getByLabel('Name').fill(`page${width}`);
      await page.getByRole('button', { name: 'Create template' }).click();
      const editor = page.getByRole('textbox', { name: 'Template', exact: true });
      await writeCode(
        editor,
        '<h1>{{ response.objects[0].title }}</h1><a href="https://example.com/">out</a>',
      );
      await page.getByRole('button', { name: 'Save and preview' }).click();
      await page.getByText('This template shows a response.').waitFor();
      await page.getByLabel('Preview with').selectOption('book');
      const frame = page.frameLocator('iframe[sandbox=""]');
      await frame.getByRole('heading', { name: 'Emma' }).waitFor();
      await tab.check();
      await tab.close();
    },
  );

  test('a template that only has the word response needs no class for its preview', async () => {
    const content = 'Thank you for your response, {{ name }}.';
    const body = { name: 'thanks', content, content_type: 'text/plain', context: { name: 'Ada' } };
    await view.send({ path: `${library}snippets/templates/`, body });
    const tab = await view.open('/i/library/templates/thanks');
    const preview = tab.page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Thank you for your response, Ada.').waitFor();
    await tab.close();
  });

  test('a template is only read by those who may not change it', async () => {
    const body = { name: 'plain', content: 'a', content_type: 'text/plain', context: {} };
    await view.send({ path: `${library}snippets/templates/`, body });
    const tab = await view.open('/i/library/templates/plain', { key: await view.join('read') });
    const { page } = tab;
    for (const name of ['Template', 'Variables (JSON)']) {
      const editor = page.getByRole('textbox', { name });
      const before = await editor.textContent();
      await editor.click();
      await page.keyboard.type('x');
      expect(await editor.textContent()).toBe(before);
    }
    expect(await page.getByText('Ctrl-Enter').count()).toBe(0);
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('This needs the role full or higher.').waitFor();
    await tab.check();
    await preview.getByLabel('Preview with').selectOption('book');
    await preview.getByRole('region', { name: 'Text' }).waitFor();
    await tab.check();
    await tab.close();
  });

  test('hostile output of a template does not run in its preview', async () => {
    const content = `${hostile}<form action="javascript:top.ran=3"><button>go</button></form><h1>shown</h1>`;
    const body = { name: 'hostile', content_type: 'text/html', content };
    await view.send({ path: `${library}snippets/templates/`, body });
    const tab = await view.open('/i/library/templates/hostile');
    const { page } = tab;

    await page.getByRole('button', { name: 'Save and preview' }).click();
    const frame = page.frameLocator('iframe[sandbox=""]');
    await frame.getByRole('heading', { name: 'shown' }).waitFor();
    await frame.getByRole('button', { name: 'go' }).click();

    const inside = page.frames().find((each) => each !== page.mainFrame());
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(await inside?.evaluate('window.ran')).toBeUndefined();
    for (const fault of tab.faults) expect(fault).toMatch(/sandboxed|Content Security Policy/);
    await page.context().close();
  });
});
