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
});
