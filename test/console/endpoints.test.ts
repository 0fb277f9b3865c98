import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
    await page.getByLabel('Anyone with the public link can call it').check();
    await tab.check();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await writeCode(page.getByRole('textbox', { name: 'Arguments' }), '{"who": "Ada"}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const response = page.getByRole('region', { name: 'Response', exact: true });
    await response.getByText('"hello": "Ada"').waitFor();
    expect(await response.textContent()).toBe('{\n  "hello": "Ada"\n}');
    expect(await page.locator(':focus').textContent()).toMatch(/^200 application\/json/);
    const program = page.getByRole('region', { name: 'Program', exact: true });
    const [, address = ''] = /'(http[^']*)'/.exec((await program.textContent()) ?? '') ?? [];
    const called = await fetch(address, { method: 'POST', body: '{"who": "Bob"}' });
    for (const language of ['JavaScript', 'Python', 'Typed']) {
      await page.getByRole('link', { name: language }).click();
      await program.getByText(language === 'Typed' ? 'db.run' : address).waitFor();
    }
    await tab.check();

    expect(await called.json()).toEqual({ hello: 'Bob' });
    const parts = page.getByRole('navigation', { name: /^Parts of/ });
    await parts.getByRole('link', { name: 'Runs' }).click();
    const runs = page.getByRole('region', { name: 'Runs, the newest first' });
    await runs.getByText('success').nth(1).waitFor();
    await runs.getByRole('button', { name: /^Run/ }).first().click();
    await page.getByRole('region', { name: 'Arguments' }).getByText('"who": "Bob"').waitFor();
    expect(await page.locator(':focus').textContent()).toMatch(/^Run \d+success/);
    await tab.check();
    await parts.getByRole('link', { name: 'Settings' }).click();
    await tab.check();
    await tab.close();
  });

  test('a program in Python calls it', async () => {
    const script = {
      label: 'length',
      source: 'console.log(ARGS.text.length)',
      runtime_name: 'nodejs',
    };
    const made = await view.send({
      path: '/v1.1/instances/library/snippets/scripts/',
      body: script,
    });
    const endpoint = { name: 'length', script: made.body.id, public: true };
    await view.send({ path: '/v1.1/instances/library/endpoints/scripts/', body: endpoint });
    const tab = await view.open('/i/library/endpoints/scripts/length?language=python');
    const { page } = tab;

    await writeCode(page.getByRole('textbox', { name: 'Arguments' }), `{"text": "\\"'é"}`);
    const program = page.getByRole('region', { name: 'Program', exact: true });
    await program.getByText('é').waitFor();
    const text = (await program.textContent()) ?? '';
    const { stdout } = await promisify(execFile)('python3', ['-c', text]);

    expect(JSON.parse(stdout).result.stdout).toBe('3');
    await tab.close();
  });
});
