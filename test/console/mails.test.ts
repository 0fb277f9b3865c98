import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts';
import { type Console, openConsole, program, widths } from './console-page.ts';

const password = 'a long password';

describe.skipIf(program === undefined)('the link of a mail that came over TCP', () => {
  let mails: MailServer;
  let view: Console;

  beforeAll(async () => {
    mails = await startMailServer({ authOptional: false });
    view = await openConsole('library', undefined, {
      GROUNDWORK_SMTP_URL: `smtp://me:secret-of-smtp@127.0.0.1:${mails.port}`,
      GROUNDWORK_MAIL_FROM: 'Us <no-reply@example.com>',
    });
  }, 120_000);

  afterAll(async () => {
    await view?.close();
    await mails?.close();
  });

  /** Waits for a mail to an address, and returns its link. */
  async function linkTo(address: string, subject: string): Promise<string> {
    const text = await vi.waitFor(
      () => {
        const mail = mails.received.findLast(
          ({ to, raw }) => to.includes(address) && raw.includes(`Subject: ${subject}`),
        );
        expect(mail).toMatchObject({ isSecure: true, user: 'me' });
        return mail === undefined ? '' : textOf(mail);
      },
      { timeout: 20_000 },
    );
    return /^http\S+$/m.exec(text)?.[0] ?? '';
  }

  /** Follows a link, and checks that its values leave the address and the history. */
  async function follow(page: Page, link: string): Promise<void> {
    await page.goto('about:blank');
    await page.goto(link);
    const secret = new URLSearchParams(link.split('?')[1]);
    await vi.waitFor(() => expect(page.url()).not.toContain('?'), { timeout: 20_000 });
    for (const value of secret.values()) expect(page.url()).not.toContain(value);
  }

  test.each(widths)('confirms an address, %i px wide', async (width) => {
    const email = `new-${width}@example.com`;
    const { body } = await view.send({
      path: '/v1.1/account/register/',
      body: { email, password },
    });
    const tab = await view.open('/sign-in', { width, isStranger: true });
    await follow(tab.page, await linkTo(email, 'Confirm your e-mail address'));
    await tab.check();
    await tab.page.getByRole('button', { name: 'Confirm' }).click();
    await tab.page.getByText(`${email} is confirmed.`).waitFor();
    await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    const shown = await view.send({ path: '/v1.1/account/', key: body.account_key });
    expect(shown.body.is_active).toBe(true);
    await tab.close();
  });

  test.each(widths)('sets a new password, %i px wide', async (width) => {
    const email = `reset-${width}@example.com`;
    await view.send({ path: '/v1.1/account/register/', body: { email, password } });
    const tab = await view.open('/reset-password', { width, isStranger: true });
    const { page } = tab;
    await page.getByText('You get a mail with a link.').waitFor();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send mail' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await tab.check();
    await follow(page, await linkTo(email, 'Set a new password'));
    await page.getByLabel('New password').fill('another password');
    expect(await page.getByLabel('token').count()).toBe(0);
    await tab.check();
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'Your instances' }).waitFor();

    const body = { email, password: 'another password' };
    expect((await view.send({ path: '/v1.1/account/auth/', body })).status).toBe(200);
    await tab.close();
  });

  test('uses the link that was opened last in a tab, and keeps none in the address', async () => {
    const tab = await view.open('/sign-in', { isStranger: true });
    const { page } = tab;
    const link = (token: string) => `${view.url}/console/#/activate?uid=MQ&token=${token}`;
    await follow(page, `${link('first')}&token=again`);
    await page.getByRole('button', { name: 'Confirm' }).waitFor();
    await page.evaluate(`location.href = ${JSON.stringify(link('second'))}`);
    await vi.waitFor(() => expect(page.url()).not.toContain('second'), { timeout: 5000 });
    const sent = page.waitForRequest((request) => request.url().endsWith('/account/activate/'));
    await page.getByRole('button', { name: 'Confirm' }).click();

    expect((await sent).postDataJSON()).toEqual({ uid: 'MQ', token: 'second' });
    await page.close(); // the response is an error, and so is its line in the console of the browser
  });

  test.each(widths)('accepts an invitation with a new account, %i px wide', async (width) => {
    const email = `guest-${width}@example.com`;
    const admins = await view.open('/i/library/admins', { width });
    await admins.page.getByRole('button', { name: 'New invitation' }).click();
    await admins.page.getByLabel('E-mail').fill(email);
    await admins.page.getByRole('button', { name: 'Create invitation' }).click();
    await admins.page.getByText('Invitation created.').waitFor();
    const tab = await view.open('/sign-in', { width, isStranger: true });
    const { page } = tab;
    await follow(page, await linkTo(email, 'You are invited to library'));
    await page.getByText('owner@example.com invites you to the instance library').waitFor();
    await tab.check();
    await page.getByRole('link', { name: 'Sign up' }).click();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('link', { name: 'library' }).first().waitFor();

    await admins.page.reload();
    await admins.page
      .getByRole('region', { name: 'Invitations' })
      .getByText('accepted')
      .first()
      .waitFor();
    const row = admins.page.getByRole('row', { name: email }).last();
    expect(await row.getByRole('button').count()).toBe(0); // an accepted one
    await admins.check();
    await admins.close();
    await tab.close();
  });

  /** Invites a new account, and opens the link of the mail without being signed in. */
  async function inviteAccount(email: string) {
    await view.send({ path: '/v1.1/account/register/', body: { email, password } });
    const invitations = '/v1.1/instances/library/invitations/';
    await view.send({ path: invitations, body: { email, role: 'read' } });
    const tab = await view.open('/sign-in', { isStranger: true });
    await follow(tab.page, await linkTo(email, 'You are invited to library'));
    return tab;
  }

  test('accepts an invitation after a sign-in', async () => {
    const email = 'known@example.com';
    const tab = await inviteAccount(email);
    const { page } = tab;
    await page.getByRole('link', { name: 'Sign in' }).click();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`You are signed in as ${email}.`).waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('link', { name: 'library' }).first().waitFor();
    await tab.close();
  });

  test('accepts an invitation with a known account after the link to sign up', async () => {
    const email = 'forgetful@example.com';
    const tab = await inviteAccount(email);
    const { page } = tab;
    const clicks = ['Sign up', 'Sign in', 'Sign up', 'Sign in'];
    for (const name of clicks) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    }
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('link', { name: 'library' }).first().waitFor();
    await tab.close();
  });

  test('accepts an invitation with a new account after the link to sign in', async () => {
    const email = 'hasty@example.com';
    const invitations = '/v1.1/instances/library/invitations/';
    await view.send({ path: invitations, body: { email, role: 'read' } });
    const tab = await view.open('/sign-in', { isStranger: true });
    const { page } = tab;
    await follow(page, await linkTo(email, 'You are invited to library'));
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Sign up', level: 1 }).waitFor();
    expect(await page.getByLabel('E-mail').inputValue()).toBe(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Your instances' }).waitFor();
    await page.getByRole('link', { name: 'library' }).first().waitFor();
    await tab.close();
  });

  test('leaves no token, key or password of the mail server in the log', () => {
    const log = JSON.stringify(view.logged());
    const texts = mails.received.map(textOf);

    for (const text of texts) expect(log).not.toContain(/^http.*\?.*[=](\S+)$/m.exec(text)?.[1]);
    expect(texts.length).toBeGreaterThan(5);
    expect(log).not.toContain('secret-of-smtp');
  });
});

describe.skipIf(program === undefined)('a server without mail', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);
  afterAll(() => view?.close());

  test('says so, and an invitation has a link to copy', async () => {
    const admins = await view.open('/i/library/admins');
    const { page } = admins;
    const text = 'This server does not send mail: copy the link of the invitation and pass it on.';
    await page.getByText(text).first().waitFor();
    await page.getByRole('button', { name: 'New invitation' }).click();
    await page.getByLabel('E-mail').fill('jo@example.com');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('not sent', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Copy link for jo@example.com' }).click();
    const link: string = await page.evaluate('navigator.clipboard.readText()');
    await admins.check();
    const tab = await view.open('/sign-in', { isStranger: true });
    await tab.page.goto(link);
    await tab.page.getByRole('link', { name: 'Sign up' }).waitFor();

    await admins.close();
    await tab.close();
  });
});
