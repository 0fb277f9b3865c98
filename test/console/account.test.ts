import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startProcess } from '../support/server-process.ts';
import { type Console, checkPage, openConsole, program, widths } from './console-page.ts';

describe.skipIf(program === undefined)('accounts and instances in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a person signs up and makes an instance, %i px wide', async (width) => {
    const tab = await view.open('/sign-up', { width, isStranger: true });
    const { page } = tab;

    await tab.check();
    await page.getByLabel('E-mail').fill(`ada-${width}@example.com`);
    await page.getByLabel('Password').fill('a password');
    await page.getByRole('button', { name: 'Sign up' }).click();
    const empty = page.locator('.empty');
    const end = await empty.locator('p').last().boundingBox();
    const add = await empty.getByRole('button', { name: 'New instance' }).boundingBox();
    expect((end?.y ?? 0) - (add?.y ?? 0) - (add?.height ?? 0)).toBeGreaterThanOrEqual(16);
    await page.getByRole('button', { name: 'New instance' }).first().click();
    await page.getByLabel('Name').fill(`blog-${width}`);
    await tab.check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();

    await page.getByRole('heading', { name: `blog-${width}` }).waitFor();
    await tab.check();
    await tab.close();
  });

  test.each([
    ['secret1', 'At least 8 characters.'],
    ['Trustno1', 'This is one of the most common passwords: choose another one.'],
  ])('a sign-up with the password %s is not sent', async (password, message) => {
    const tab = await view.open('/sign-up', { isStranger: true });
    const { page } = tab;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));

    await page.getByLabel('E-mail').fill('weak@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('alert').getByText(message).waitFor();
    await tab.check();

    expect(sent).not.toContain('POST');
    await tab.close();
  });

  test('the link that a new server prints fills the set-up code in, which it needs once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-set-up-'));
    const server = await startProcess(folder, { args: ['--registration', 'closed'] });
    const link = await vi.waitFor(() => {
      const [, found] = /in a browser: (\S+sign-up\S+)/.exec(server.output()) ?? [];
      expect(found).toBeDefined();
      return String(found);
    });
    const code = link.split('code=')[1];
    const context = await view.browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByText('This server has no account yet.').waitFor();
    const field = page.getByLabel('Set-up code');
    expect(await field.inputValue()).toBe(code);
    await vi.waitFor(() => expect(page.url()).not.toContain('code'));
    await checkPage(page);
    await page.getByLabel('E-mail').fill('first@example.com');
    await page.getByLabel('Password').fill('a long password');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Your instances' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign up' }).click();

    await page.getByLabel('Invitation key').waitFor();
    await checkPage(page);
    await context.close();
    await server.end('SIGTERM');
    rmSync(folder, { recursive: true });
  });

  test('a sign-up asks for no code where none is needed', async () => {
    const tab = await view.open('/sign-up', { isStranger: true });
    await tab.page.waitForLoadState('networkidle');

    expect(await tab.page.getByRole('textbox').count()).toBe(2); // e-mail and password
    expect(await tab.page.getByText('Requests of this screen').count()).toBe(0);
    await tab.close();
  });

  test('a typed e-mail is kept between the forms of accounts', async () => {
    const tab = await view.open('/sign-up?next=%2Fbackups', { isStranger: true });
    const { page } = tab;
    const field = page.getByLabel('E-mail');
    const ways = [
      ['Sign in', 'Sign in'],
      ['Forgot your password?', 'Reset your password'],
      ['Sign in', 'Sign in'],
      ['Sign up', 'Sign up'],
    ] as const;
    for (const [at, [link, heading]] of ways.entries()) {
      await field.fill(`ada${at}@example.com`);
      await page.getByRole('link', { name: link }).click();
      await page.getByRole('heading', { name: heading }).waitFor();
      expect(await field.inputValue()).toBe(`ada${at}@example.com`);
    }
    expect(page.url()).toContain('next=%2Fbackups');
    await tab.check();
    await tab.close();
  });

  test('a wrong password is told at the form', async () => {
    const tab = await view.open('/sign-in', { isStranger: true });
    const { page } = tab;

    await page.getByLabel('E-mail').fill('nobody@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();

    expect(await page.getByRole('alert').textContent()).toContain('Invalid email.');
    await tab.close();
  });

  test('a screen asks to sign in first, and is opened then', async () => {
    const tab = await view.open('/i/library/settings', { isStranger: true });

    await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    expect(tab.page.url()).toContain('#/sign-in?next=%2Fi%2Flibrary%2Fsettings');
    await tab.close();
  });

  test.each(widths)(
    'an admin is invited, joins, and gets another role, %i px wide',
    async (width) => {
      const email = `jo-${width}@example.com`;
      const guest = await view.send({
        path: '/v1.1/account/register/',
        body: { email, password: 'first password' },
      });
      const tab = await view.open('/i/library/admins', { width });
      const { page } = tab;

      await page.getByRole('button', { name: 'New invitation' }).click();
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Role', { exact: true }).selectOption('read');
      await page.getByRole('button', { name: 'Create invitation' }).click();
      await page.getByRole('region', { name: 'Invitations' }).getByText(email).waitFor();
      await tab.check();
      const other = await view.open('/account', { width, key: guest.body.account_key });
      const invitation = other.page.getByRole('row', { name: 'library' });
      await invitation.getByRole('button', { name: 'Accept' }).click();
      await other.page.getByText('You are now an admin').waitFor();
      await other.check();
      await page.reload();
      await page.getByLabel(`Role of ${email}`).selectOption('write');
      await page.getByText(`${email} now has the role write.`).waitFor();
      await tab.check();
      await page.getByRole('row', { name: email }).getByRole('button', { name: 'Remove…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByLabel(`Role of ${email}`).waitFor({ state: 'detached' });

      const { body } = await view.send({ path: '/v1.1/instances/library/admins/' });
      expect(body.objects).toHaveLength(1);
      await tab.close();
      await other.close();
    },
  );

  test('an account changes its name, password and key', async () => {
    const login = { email: 'kim@example.com', password: 'first password' };
    const { body } = await view.send({ path: '/v1.1/account/register/', body: login });
    const tab = await view.open('/account', { key: body.account_key });
    const { page } = tab;

    await page.getByLabel('First name').fill('Kim');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('Current password').fill('wrong');
    await page.getByLabel('New password').fill('second password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('.error', { hasText: 'Invalid password.' }).waitFor();
    await page.getByLabel('Current password').fill(login.password);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password was changed.').waitFor();
    await page.getByRole('button', { name: 'Reset key…' }).click();
    await page.getByRole('button', { name: 'Reset key', exact: true }).click();
    await page.getByText('The account key was reset.').waitFor();
    await page.getByRole('link', { name: 'Groundwork' }).click();
    await page.getByRole('heading', { name: 'Your instances' }).waitFor();

    const again = { ...login, password: 'second password' };
    const entered = await view.send({ path: '/v1.1/account/auth/', body: again });
    expect(entered.body.first_name).toBe('Kim');
    expect(entered.body.account_key).not.toBe(body.account_key);
    await tab.close();
  });

  test('an error goes with its screen or a later success, and is seen in a dialog', async () => {
    const login = { email: 'ivy@example.com', password: 'first password' };
    const { body } = await view.send({ path: '/v1.1/account/register/', body: login });
    const tab = await view.open('/account', { key: body.account_key });
    const { page } = tab;
    const dialog = page.getByRole('dialog');
    const notice = page.locator('.notice.problem', { hasText: 'Too many requests.' });
    const reset = async () => {
      await page.getByRole('button', { name: 'Reset key…' }).click();
      await dialog.getByRole('button', { name: 'Reset key' }).click();
    };
    await page.route('**/reset_key/', (route) =>
      route.fulfill({ status: 429, json: { detail: 'Too many requests.' } }),
    );
    await reset();
    await notice.waitFor();
    await page.getByRole('link', { name: 'Groundwork' }).click();
    await page.getByRole('heading', { name: 'Your instances' }).waitFor();
    await notice.waitFor({ state: 'detached' });

    await page.goBack();
    await reset();
    await notice.waitFor();
    await page.getByRole('button', { name: 'Reset key…' }).click();
    await dialog.locator('.notice.problem').waitFor();
    expect(await notice.count()).toBe(1);
    await tab.check();
    await page.unroute('**/reset_key/');
    await dialog.getByRole('button', { name: 'Reset key' }).click();
    await page.getByText('The account key was reset.').waitFor();
    await notice.waitFor({ state: 'detached' });
    await tab.close();
  });

  test('an address that is not confirmed says where its codes are', async () => {
    const login = { email: 'una@example.com', password: 'first password' };
    const { body } = await view.send({ path: '/v1.1/account/register/', body: login });
    const tab = await view.open('/account', { key: body.account_key });
    await tab.page
      .getByText('This server sends no mail. The link is in its log; enter the codes from there.')
      .waitFor();
    expect(await tab.page.getByText('another mail').count()).toBe(0);
    await tab.check();
    await tab.close();
  });

  test('a forgotten password is replaced with the codes of a mail', async () => {
    const email = 'lee@example.com';
    const body = { email, password: 'first password' };
    await view.send({ path: '/v1.1/account/register/', body });
    const tab = await view.open('/sign-in', { isStranger: true });
    const { page } = tab;

    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
    await page.getByLabel('E-mail').fill(email);
    await tab.check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('uid').fill('nothing');
    await page.getByLabel('token').fill('nothing');
    await page.getByLabel('New password').fill('second password');
    await tab.check();
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.locator('.error', { hasText: 'Invalid token.' }).waitFor();
    const mail = view.logged().findLast(({ message, to }) => message === 'mail' && to === email);
    const text = String(mail?.text);
    await page.getByLabel('uid').fill(/^uid: (.*)$/m.exec(text)?.[1] ?? '');
    await page.getByLabel('token').fill(/^token: (.*)$/m.exec(text)?.[1] ?? '');
    await page.getByRole('button', { name: 'Set password' }).click();

    await page.getByRole('heading', { name: 'Your instances' }).waitFor();
    await tab.close();
  });
});
