import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program } from './console-page.ts';
import { writeCode } from './write-code.ts';

/** A number that a double changes: 9007199254740992. */
const large = '9007199254740993';
const library = '/v1.1/instances/library/';

describe.skipIf(program === undefined)('large numbers in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [
      { name: 'title', type: 'string' },
      { name: 'more', type: 'object' },
      { name: 'pages', type: 'float' },
    ];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    const body = { title: 'Emma', more: { id: 1 }, pages: 1 };
    await view.send({ path: `${library}classes/book/objects/`, body });
  }, 120_000);

  afterAll(() => view?.close());

  test('an object is shown and saved with the digits of the server', async () => {
    const tab = await view.open('/i/library');
    const { page } = tab;
    const sent: string[] = [];
    // our server stores doubles; a proxy to another one need not
    await page.route(`**${library}classes/book/objects/**`, async (route) => {
      const request = route.request();
      if (request.method() === 'PATCH') sent.push(request.postData() ?? '');
      const response = await route.fetch();
      const text = await response.text();
      const body = text
        .replaceAll('{"id":1}', `{"id":${large}}`)
        .replaceAll('"pages":1', `"pages":${large}`);
      await route.fulfill({ response, body });
    });
    await page.evaluate(`location.hash = '/i/library/data/book'`);
    await page.getByText(`{"id":${large}}`).waitFor();
    await page.getByText(large, { exact: true }).waitFor();
    await page.evaluate(`location.hash = '/i/library/data/book/1'`);
    await page.getByLabel('title', { exact: true }).fill('Persuasion');
    expect(await page.getByLabel('more', { exact: true }).inputValue()).toContain(large);
    expect(await page.getByLabel('pages', { exact: true }).inputValue()).toBe(large);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'JSON' }).click();
    const json = page.getByLabel('Object as JSON');
    const text = await json.inputValue();
    expect(text.split(large)).toHaveLength(3);
    await json.fill(text.replace('Persuasion', 'Sanditon'));
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => sent).toHaveLength(2);
    await page.unrouteAll({ behavior: 'wait' });

    expect(sent.map((each) => Object.keys(JSON.parse(each)))).toEqual([
      ['title', 'expected_revision'],
      ['title', 'expected_revision'],
    ]);
    await tab.close();
  });

  test('arguments of runs keep their digits, and so do the programs that are shown', async () => {
    const script = { label: 'echo', source: 'console.log(1)', runtime_name: 'nodejs_v6' };
    const made = await view.send({ path: `${library}snippets/scripts/`, body: script });
    const endpoint = { name: 'echo', script: made.body.id };
    await view.send({ path: `${library}endpoints/scripts/`, body: endpoint });
    await fetch(`${view.url}${library}endpoints/scripts/echo/run/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': view.owner },
      body: `{"id": ${large}}`,
    });
    const tab = await view.open('/i/library/endpoints/scripts/echo?run=1');
    const { page } = tab;
    const output = page.getByRole('region', { name: 'Request body' });
    await output.getByText(`"id": ${large}`).waitFor();
    await page.getByRole('link', { name: 'Call', exact: true }).click();
    const args = page.getByRole('textbox', { name: 'Arguments' });
    await writeCode(args, `{"id": ${large}}`);
    await page.getByRole('region', { name: 'Program' }).getByText(`{"id":${large}}`).waitFor();
    await page.getByRole('button', { name: 'JavaScript', exact: true }).click();
    await page
      .getByRole('region', { name: 'Program' })
      .getByText(`body: "{\\"id\\":${large}}"`)
      .waitFor();
    await tab.close();
  });
});
