import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';
import { writeCode } from './write-code.ts';

describe.skipIf(program === undefined)('script endpoints in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const source = 'setResponse(new HttpResponse(200, { hello: ARGS.who }))';
    const body = { label: 'greet', source, runtime_name: 'nodejs' };
    await view.send({ path: '/v1.1/instances/library/snippets/scripts/', body });
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('an endpoint is made and called, %i px wide', async (width) => {
    const tab = await view.open('/i/library/endpoints', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'New script endpoint' }).click();
    await page.getByLabel('Name').fill(`greet-${width}`);
    await page.getByLabel('Anyone with its public link may call it').check();
    await tab.check();
    await page.getByRole('button', { name: 'Create the endpoint' }).click();
    await writeCode(page.getByRole('textbox', { name: 'Arguments, as JSON' }), '{"who": "Ada"}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page
      .getByRole('region', { name: 'Response', exact: true })
      .getByText('{"hello":"Ada"}')
      .waitFor();
    const shown = await page.getByRole('region', { name: 'Program', exact: true }).textContent();
    const [, address = ''] = /'(http[^']*)'/.exec(shown ?? '') ?? [];
    const response = await fetch(address, { method: 'POST', body: '{"who": "Bob"}' });
    await tab.check();

    expect(await response.json()).toEqual({ hello: 'Bob' });
    const runs = page.getByRole('region', { name: 'Runs, the newest first' });
    await runs.getByText('success').nth(1).waitFor();
    await tab.close();
  });
});
