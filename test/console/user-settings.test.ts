import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { letters } from '../../console/screens/user-settings/user-settings-data.ts';
import { userLetters } from '../../shared/table/records/user-accounts.ts';
import { type Console, openConsole, program, widths } from './console-page.ts';

const path = '/v1.1/instances/library/user_settings/';
const place = '/i/library/user-settings';
const secret = 'a secret of the service';

test('the console knows all letters', () => {
  expect(Object.keys(letters)).toEqual(userLetters);
});

describe.skipIf(program === undefined)('log-in of users in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library', undefined, { GROUNDWORK_USER_MAIL: 'on' });
  }, 120_000);

  afterAll(() => view?.close());

  const settings = async () => (await view.send({ path })).body;
  const reset = () => view.send({ method: 'PUT', path, body: {} });

  test.each(widths)('addresses are switched on, %i px wide', async (width) => {
    await reset();
    const tab = await view.open('/i/library/users', { width });
    const { page } = tab;

    await page.goto(`${view.url}/console/#${place}`);
    await page.getByRole('heading', { name: 'User log-in', level: 1 }).waitFor();
    expect(await page.getByLabel('A new address').count()).toBe(0);
    await page.getByLabel('E-mail addresses').selectOption('required');
    await page.getByLabel('A new address').selectOption('required');
    await page.getByLabel('Log-in with a code by mail').check();
    await page.getByLabel('Guests').check();
    const redirects = page.getByLabel('App addresses, one per line');
    await redirects.fill('http://app.example.com/');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only localhost may be without https.').first().waitFor();
    await tab.check();
    await redirects.fill('https://app.example.com/done\n\n com.example.app:/done ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await tab.check();

    expect(await settings()).toEqual({
      email: 'required',
      confirmed: 'required',
      guests: true,
      codes: true,
      redirects: ['https://app.example.com/done', 'com.example.app:/done'],
      providers: [],
      mails: {},
    });
    await page.getByLabel('E-mail addresses').selectOption('off');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(settings).toMatchObject({ email: 'off', codes: false });
    await tab.close();
  });

  test.each(widths)('a service has a secret that is never shown, %i px wide', async (width) => {
    await reset();
    const tab = await view.open(place, { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'New service' }).click();
    await page.getByLabel('Service', { exact: true }).selectOption('oidc');
    await page.getByLabel('Name', { exact: true }).fill('guest');
    await page.getByLabel('Issuer').fill('https://login.example.com');
    await page.getByLabel('Client id').fill('our-app');
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('"guest" is the name of something else.').first().waitFor();
    await tab.check();
    await page.getByLabel('Name', { exact: true }).fill('example');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('stored').first().waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Copy the callback address of example' }).click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${view.url}/v1.1/instances/library/user/auth/example/callback/`);

    await page.getByRole('button', { name: 'Edit example' }).click();
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
    await page.getByLabel('Scopes, separated by spaces').fill('openid  email');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const provider = {
      name: 'example',
      kind: 'oidc',
      client_id: 'our-app',
      issuer: 'https://login.example.com',
      has_secret: true,
    };
    expect((await settings()).providers).toEqual([{ ...provider, scopes: ['openid', 'email'] }]);
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Remove example' }).click();
    await page.getByRole('button', { name: 'Remove service' }).click();
    await page.getByText('example is removed.').waitFor();
    expect((await settings()).providers).toEqual([]);
    await tab.close();
  });

  test('Apple takes a key, and a kind only the fields that it has', async () => {
    await reset();
    const tab = await view.open(place);
    const { page } = tab;

    await page.getByRole('button', { name: 'New service' }).click();
    await page.getByLabel('Service', { exact: true }).selectOption('apple');
    expect(await page.getByLabel('Issuer').count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('apple');
    await page.getByLabel('Client id').fill('com.example.app');
    await page.getByLabel('Team id').fill('ABCDE12345');
    await page.getByLabel('Key id').fill('FGHIJ67890');
    await page.getByLabel('Key (text of the .p8 file)').fill('no key');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('It is no whole P-256 key').first().waitFor();
    await tab.check();
    await tab.close();
  });

  test.each(widths)('a mail is written with a preview, %i px wide', async (width) => {
    await reset();
    const tab = await view.open(place, { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Edit: A code' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText(/Your code for library is \d{6}/).waitFor(); // the text of the server
    await page.getByLabel('Subject').fill('Code for {{ app }}');
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Hello {{ email }}\n\n{% if code %}It is {{ code }}{% endif %} <b>now</b>');
    await preview.getByRole('button', { name: 'Preview' }).click();
    await preview.getByRole('heading', { name: 'Code for library' }).waitFor();
    await preview.getByText(/It is \d{6} <b>now<\/b>/).waitFor();
    await tab.check();
    await text.fill('{{ code');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/code: text: /)
      .first()
      .waitFor();
    await text.fill('It is {{ code }}.');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Code for {{ app }}').waitFor();
    expect((await settings()).mails).toEqual({
      code: { subject: 'Code for {{ app }}', text: 'It is {{ code }}.' },
    });
    await tab.check();

    await page.getByRole('button', { name: 'Reset: A code' }).click();
    await page.getByRole('button', { name: 'Reset text' }).click();
    await page.getByText('Code for {{ app }}').waitFor({ state: 'detached' });
    expect((await settings()).mails).toEqual({});
    await tab.close();
  });
});
