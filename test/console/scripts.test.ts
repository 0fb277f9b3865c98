import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';
import { writeCode } from './write-code.ts';

describe.skipIf(program === undefined)('scripts in the console', () => {
  let view: Console;
  const scripts = '/v1.1/instances/library/snippets/scripts/';

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  const addScript = async (source: string, runtime_name = 'nodejs') => {
    const { body } = await view.send({
      path: scripts,
      body: { label: 'a script', source, runtime_name },
    });
    return body.id as number;
  };

  test.each(widths)('a script is written, run and found, %i px wide', async (width) => {
    const tab = await view.open('/i/library/scripts', { width });
    const { page } = tab;

    await tab.check();
    await page.getByRole('button', { name: 'New script' }).first().click();
    await page.getByLabel('Label', { exact: true }).fill(`sum ${width}`);
    await tab.check();
    await page.getByRole('button', { name: 'Create script' }).click();
    const source = page.getByRole('textbox', { name: 'Source' });
    await writeCode(source, 'console.log(ARGS.a + ARGS.b);\nconsole.error("a warning");');
    await page.getByText('Not saved').waitFor();
    await page.getByRole('link', { name: 'Arguments' }).click();
    await writeCode(page.getByRole('textbox', { name: 'Arguments' }), '{"a": 40, "b": 2}');
    await source.press('Control+Enter');
    await page.getByRole('region', { name: 'Output' }).getByText('42').waitFor();
    await page.getByRole('region', { name: 'Errors' }).getByText('a warning').waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await openTab(page, 'Runs');
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'success' }).count()).toBe(2);
    await page.getByRole('link', { name: 'Scripts' }).first().click();
    await page.getByLabel('Find a script').fill(String(width));
    await page.getByRole('link', { name: `sum ${width}` }).waitFor();
    await tab.check();
    await tab.close();
  });

  test('Python runs, and hostile output is shown as text and cut', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    const id = await addScript(`print('${hostile}' + 'x' * 50000 + 'END')`, 'python3');
    const tab = await view.open(`/i/library/scripts/${id}`, { isDark: true });
    const { page } = tab;
    const output = page.getByRole('region', { name: 'Output', exact: true });

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await output.getByText(hostile).waitFor();
    expect(await output.textContent()).not.toContain('END');
    await page.getByRole('button', { name: 'Show all' }).click();

    expect(await output.textContent()).toContain('END');
    expect(await output.locator('img').count()).toBe(0);
    await tab.check();
    await tab.close();
  });

  test.each(widths)('a script of Python 2 has a note with its lines, %i px wide', async (width) => {
    const id = await addScript('import os\n\nprint os.name\n', 'python3');
    const tab = await view.open(`/i/library/scripts/${id}`, { width });
    const { page } = tab;
    const note = page.getByText('Scripts run in Python 3');

    await note.waitFor();
    expect(await note.textContent()).toBe(
      'Scripts run in Python 3: line 3: print statement of Python 2. How to convert: docs/guides/python-2.md',
    );
    await tab.check();
    await writeCode(page.getByRole('textbox', { name: 'Source' }), 'print("a")');
    await note.waitFor({ state: 'detached' });
    await tab.close();
  });

  test.each([
    [1280, 900],
    [390, 844],
  ])('the result of a run has the focus and is in view, at %i by %i', async (width, height) => {
    const source = `${'console.log("an output");\n'.repeat(40)}throw new Error("an error");`;
    const tab = await view.open(`/i/library/scripts/${await addScript(source)}`, { width });
    const { page } = tab;
    await page.setViewportSize({ width, height });

    await page.getByRole('textbox', { name: 'Source' }).press('Control+Enter');
    const errors = page.getByRole('region', { name: 'Errors' });
    await errors.getByText('main.js:41').waitFor();

    const [result, top, bottom] = await Promise.all([
      page.locator(':focus').getAttribute('class'),
      page.locator('.run-line').boundingBox(),
      errors.boundingBox(),
    ]);
    expect(result).toBe('run');
    expect(top?.y).toBeGreaterThanOrEqual(0);
    expect((bottom?.y ?? height) + (bottom?.height ?? 0)).toBeLessThanOrEqual(height);
    if (width >= 1100) {
      const hidden = 'document.documentElement.scrollHeight - innerHeight';
      expect(await page.evaluate(hidden)).toBe(0);
    }
    await tab.check();
    await tab.close();
  });

  test('tabs keep what is typed, and ask for nothing', async () => {
    const id = await addScript('console.log(1)');
    const tab = await view.open(`/i/library/scripts/${id}`);
    const { page } = tab;
    const source = page.getByRole('textbox', { name: 'Source' });

    await writeCode(source, 'console.log(2)');
    for (const name of ['Runs', 'Endpoints', 'Settings']) {
      await openTab(page, name);
      await tab.check();
    }
    await page.getByLabel('Label').fill('another label');
    await openTab(page, 'Code');
    expect(await source.textContent()).toBe('console.log(2)');
    await source.press('Control+z');
    expect(await source.textContent()).toBe('console.log(1)');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'another label' }).waitFor();
    await tab.close();
  });

  test('a failure to save has the focus in every tab', async () => {
    const tab = await view.open(`/i/library/scripts/${await addScript('')}?tab=settings`);
    const { page } = tab;

    await writeCode(page.getByRole('textbox', { name: 'Configuration' }), '[1]');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator(':focus').getByText('This has to be a JSON object').waitFor();
    await tab.check();
    await openTab(page, 'Code');
    expect(await page.getByText('This has to be a JSON object').count()).toBe(1);
    await tab.close();
  });

  test('arguments are kept as presets', async () => {
    const tab = await view.open(`/i/library/scripts/${await addScript('')}?pane=arguments`);
    const { page } = tab;
    const text = page.getByRole('textbox', { name: 'Arguments' });

    await writeCode(text, '{"a": 1}');
    await page.getByRole('button', { name: 'Save as preset…' }).click();
    await page.getByLabel('Name').fill('one');
    await tab.check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await writeCode(text, '{"a": 2}');
    await page.getByLabel('Preset').selectOption('one');

    expect(await text.textContent()).toBe('{"a": 1}');
    await page.getByRole('button', { name: 'Delete preset' }).click();
    await page.getByLabel('Preset').waitFor({ state: 'detached' });
    await tab.close();
  });

  test('a run leads to its request', async () => {
    const id = await addScript('console.log(1)');
    const tab = await view.open(`/i/library/scripts/${id}`);
    const { page } = tab;

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const link = await page
      .getByRole('link', { name: 'Request', exact: true })
      .getAttribute('href');
    const [, request = ''] = /#\/i\/library\/requests\?request_id=(.+)/.exec(link ?? '') ?? [];
    const log = `/v1.1/instances/library/request_log/?request_id=${request}`;

    expect((await view.send({ path: log })).body.objects).toMatchObject([{ ids: { id: `${id}` } }]);
    await tab.close();
  });

  test.each(widths)('runs that others started are in its tab too, %i px wide', async (width) => {
    const library = '/v1.1/instances/library/';
    const id = await addScript('throw new Error("by " + META.executed_by)');
    const name = `greet-${width}`;
    await view.send({ path: `${library}endpoints/scripts/`, body: { name, script: id } });
    await view.send({ path: `${library}endpoints/scripts/${name}/run/`, body: {} });
    const nightly = { label: 'nightly', script: id, interval_sec: 3600 };
    await view.send({ path: `${library}schedules/`, body: nightly });
    const watch = { label: '', script: id, class: 'user_profile', signal: 'post_create' };
    const { body: trigger } = await view.send({ path: `${library}triggers/`, body: watch });
    const tab = await view.open(`/i/library/scripts/${id}?tab=runs`, { width });
    const { page } = tab;
    const lists: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/traces/?')) lists.push(new URL(request.url()).pathname);
    });

    const by = page.getByLabel('Runs of');
    await page.getByText('No runs in the last 24 hours.').waitFor();
    await expect
      .poll(() => by.getByRole('option').allTextContents())
      .toEqual([
        'the script itself',
        `Endpoint ${name}`,
        `Trigger ${trigger.id} on user_profile`,
        'Schedule nightly',
      ]);
    expect(lists.filter((path) => !path.includes('/snippets/'))).toEqual([]);
    await by.selectOption(`Endpoint ${name}`);
    await page.getByRole('button', { name: /^Run \d+$/ }).click();
    await page.getByRole('region', { name: 'Errors' }).getByText('by webhook').waitFor();
    await tab.check();
    await page.reload();
    await openTab(page, 'Code');
    await page.getByRole('region', { name: 'Errors' }).getByText('by webhook').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Errors' }).getByText('by codebox').waitFor();
    await tab.close();
  });

  test('runs of what runs another script are named as such', async () => {
    const [id, other] = [await addScript('1'), await addScript('2')];
    const schedule = { label: 'other', script: other, interval_sec: 3600 };
    const { body } = await view.send({
      path: '/v1.1/instances/library/schedules/',
      body: schedule,
    });
    const tab = await view.open(`/i/library/scripts/${id}?tab=runs&by=schedules/${body.id}`);
    const { page } = tab;
    const by = page.getByLabel('Runs of');
    expect(await by.locator('option:checked').textContent()).toBe(`schedules/${body.id}`);
    await by.selectOption('the script itself');
    await page.waitForURL((url) => !url.hash.includes('by='));
    await by.waitFor({ state: 'detached' });
    await tab.close();
  });

  test('a script that nothing else runs has no choice of runs', async () => {
    const id = await addScript('1');
    const tab = await view.open(`/i/library/scripts/${id}?tab=runs&by=../../keys`);
    await tab.page.getByText('No runs in the last 24 hours.').waitFor();
    await tab.page.waitForLoadState('networkidle');
    expect(await tab.page.getByLabel('Runs of').count()).toBe(0);
    await tab.close();
  });

  test('the deletion of a script names what is deleted with it', async () => {
    const [id, other] = [await addScript('1'), await addScript('2')];
    for (const name of ['greet', 'buy']) {
      await view.send({
        path: '/v1.1/instances/library/endpoints/scripts/',
        body: { name, script: id },
      });
    }
    const schedule = { label: 'nightly', script: id, interval_sec: 3600 };
    await view.send({ path: '/v1.1/instances/library/schedules/', body: schedule });
    const tab = await view.open(`/i/library/scripts/${id}?tab=settings`);
    const { page } = tab;
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete script' });

    await page.getByRole('button', { name: 'Delete script…' }).click();
    await page.getByText('2 endpoints (greet, buy), 1 schedule (nightly)').waitFor();
    await tab.check();
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel('Type a script to confirm').fill('a script');
    await remove.click();
    await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor();
    await page.evaluate(`location.hash = '#/i/library/scripts/${other}?tab=settings'`);
    await page.getByRole('button', { name: 'Delete script…' }).click();
    await remove.click();
    await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor();
    await tab.close();
  });

  test('unsaved changes are not lost by a link', async () => {
    const id = await addScript('console.log(1)');
    const tab = await view.open(`/i/library/scripts/${id}`);
    const { page } = tab;
    const source = page.getByRole('textbox', { name: 'Source' });

    await writeCode(source, 'console.log(2)');
    await page.getByText('Not saved').waitFor();
    const elsewhere = page.getByRole('link', { name: 'Endpoints' }).first();
    await elsewhere.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await source.textContent()).toBe('console.log(2)');
    expect(page.url()).toContain(`/scripts/${id}`);
    await elsewhere.click();
    await tab.check();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor();
    await tab.close();
  });

  test.each(widths)('those who may not change it only read it, %i px wide', async (width) => {
    const id = await addScript('console.log(1)');
    const key = await view.join('read');
    const tab = await view.open(`/i/library/scripts/${id}`, { width, key });
    const { page } = tab;
    const source = page.getByRole('textbox', { name: 'Source' });
    await source.click();
    await page.keyboard.type('x');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Runs are listed in the tab Runs.').waitFor();

    expect(await source.textContent()).toBe('console.log(1)');
    for (const text of ['Not saved', 'Ctrl-S saves', 'Run the script', 'Your role']) {
      expect(await page.getByText(text).count(), text).toBe(0);
    }
    await tab.check();
    await openTab(page, 'Settings');
    expect(await page.getByLabel('Label').isDisabled()).toBe(true);
    const configuration = page.getByRole('textbox', { name: 'Configuration' });
    await configuration.click();
    await page.keyboard.type('x');
    expect(await configuration.textContent()).toBe('{}');
    await tab.check();
    await page.getByRole('link', { name: 'Scripts' }).first().click();
    await page.getByRole('heading', { name: 'Scripts', level: 1 }).waitFor();
    await tab.close();
  });

  test('a script that was changed on the server is not overwritten without a question', async () => {
    const id = await addScript('console.log(1)');
    const tab = await view.open(`/i/library/scripts/${id}`);
    const { page } = tab;
    const source = page.getByRole('textbox', { name: 'Source' });
    const stored = async () => (await view.send({ path: `${scripts}${id}/` })).body.source;

    await writeCode(source, 'mine');
    const body = { source: 'theirs' };
    await view.send({ method: 'PATCH', path: `${scripts}${id}/`, body });
    await source.press('Control+s');
    await page.getByRole('heading', { name: 'Replace the newer version?' }).waitFor();
    await tab.check();
    expect(await stored()).toBe('theirs');
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByText('Saved.').waitFor();

    expect(await stored()).toBe('mine');
    await tab.close();
  });
});

/** Opens a tab of the screen. */
async function openTab(page: Page, name: string): Promise<void> {
  const tabs = page.getByRole('navigation', { name: /^Parts of/ });
  await tabs.getByRole('link', { name }).click();
}
