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
    await page.getByRole('button', { name: 'Create the script' }).click();
    const source = page.getByRole('textbox', { name: 'Source' });
    await writeCode(source, 'console.log(ARGS.a + ARGS.b);\nconsole.error("a warning");');
    await page.getByText('Not saved').waitFor();
    await writeCode(page.getByRole('textbox', { name: 'Arguments, as JSON' }), '{"a": 40, "b": 2}');
    await source.press('Control+Enter');
    await page.getByRole('region', { name: 'Output' }).getByText('42').waitFor();
    await page.getByRole('region', { name: 'Errors' }).getByText('a warning').waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Run again with these arguments' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'success' }).count()).toBe(2);
    await page.getByRole('link', { name: 'Scripts' }).first().click();
    await page.getByLabel('Find by label').fill(String(width));
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

  test('unsaved changes are not lost by a link', async () => {
    const id = await addScript('console.log(1)');
    const tab = await view.open(`/i/library/scripts/${id}`);
    const { page } = tab;
    const source = page.getByRole('textbox', { name: 'Source' });

    await writeCode(source, 'console.log(2)');
    await page.getByText('Not saved').waitFor();
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await source.textContent()).toBe('console.log(2)');
    expect(page.url()).toContain(`/scripts/${id}`);
    await page.getByRole('link', { name: 'Endpoints' }).click();
    await tab.check();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor();
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
    await page.getByRole('heading', { name: 'The script was changed meanwhile' }).waitFor();
    await tab.check();
    expect(await stored()).toBe('theirs');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('Saved.').waitFor();

    expect(await stored()).toBe('mine');
    await tab.close();
  });
});
