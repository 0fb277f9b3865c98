import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openProject } from '../commands/groundwork.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import { type MailServer, startMailServer, textOf } from '../support/mail-server.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { type ServerProcess, startProcess } from '../support/server-process.ts';

/* The page of the guide as it is printed, with a mail server and a server of OpenID Connect that others wrote. */

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

const guide = readFileSync(new URL('../../docs/guides/user-accounts.md', import.meta.url), 'utf8');
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1] ?? '';

const client = { id: 'page', secret: 'secret of the client' };

describe.skipIf(program === undefined)('the page of the guide', () => {
  let browser: Browser;
  let mails: MailServer;
  let oidc: OidcServer;
  let server: ServerProcess;
  let address: string;
  let pages: Server;
  const data = mkdtempSync(join(tmpdir(), 'groundwork-members-'));

  beforeAll(async () => {
    [browser, mails, oidc] = await Promise.all([
      openBrowser(program ?? ''),
      startMailServer(),
      startOidcServer(),
    ]);
    server = await startProcess(data, {
      variables: {
        GROUNDWORK_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        GROUNDWORK_MAIL_FROM: 'no-reply@example.com',
        GROUNDWORK_USER_MAIL: 'on',
        GROUNDWORK_EGRESS_ALLOW: oidc.host,
      },
    });
  }, 120_000);

  afterAll(async () => {
    await server?.end('SIGTERM');
    pages?.close();
    await Promise.all([browser?.close(), mails?.close(), oidc?.close()]);
    rmSync(data, { recursive: true, force: true });
  });

  /** Follows the steps of the guide. Returns the address of the page, which a server for files serves. */
  async function setUp(): Promise<string> {
    const { folder, run } = openProject();
    let config = '';
    pages = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      const isPage = pathname === '/';
      const type = isPage ? 'text/html' : 'text/javascript';
      response.setHeader('Content-Type', type).end(isPage ? blockOf('html') : config);
    });
    await new Promise<void>((resolve) => pages.listen(0, 'localhost', resolve));
    const page = `http://localhost:${(pages.address() as AddressInfo).port}/`; // it listens on a port
    const [, options = ''] = /^groundwork init (.*)$/m.exec(guide) ?? [];
    const words = options.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
    expect(await run('init', '--url', server.url, ...words)).toMatchObject({ status: 0 });
    const callback = `${server.url}/v1.1/instances/members/user/auth/example/callback/`;
    oidc.serve({ ...client, callback });
    const service = { name: 'example', kind: 'oidc', issuer: oidc.issuer };
    const services = [{ ...service, client_id: client.id, secret: client.secret }];
    writeFileSync(join(folder, 'setup.mjs'), blockOf('js'));
    const [command = ''] = guide.match(/^mkdir public\nnode --env-file.*$/m) ?? [];
    const env = { ...process.env, PAGE: page, SERVICES: JSON.stringify(services) };
    await promisify(execFile)('sh', ['-c', command], { cwd: folder, env });
    config = readFileSync(join(folder, 'public/config.js'), 'utf8');
    return page;
  }

  test('is set up by the commands of the guide', async () => {
    address = await setUp();

    expect((await fetch(`${address}config.js`)).status).toBe(200);
  }, 120_000);

  async function open(): Promise<Page> {
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(address);
    return page;
  }

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const says = (page: Page, text: string) =>
    expect.poll(() => page.getByRole('status').textContent(), { timeout: 30_000 }).toBe(text);

  /** Waits for a mail, and returns the part of its text that has a form. */
  async function inMail(email: string, subject: string, form: RegExp): Promise<string> {
    const text = await vi.waitFor(
      () => {
        const mail = mails.received.findLast(
          ({ to, raw }) => to.includes(email) && raw.includes(`Subject: ${subject}`),
        );
        expect(mail).toBeDefined();
        return mail === undefined ? '' : textOf(mail);
      },
      { timeout: 30_000 },
    );
    return form.exec(text)?.[0] ?? '';
  }

  const link = /^http\S+$/m;

  /** Signs up, and opens the link of the mail. */
  async function signUp(page: Page, email: string, button: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await press(page, button);
    await says(page, 'Open the link in your mail.');
    const to = await inMail(email, 'Confirm your e-mail address', link);
    expect(to).toMatch(`${address}#`);
    await page.goto('about:blank');
    await page.goto(to);
    expect(page.url()).toBe(address);
    await page.getByLabel('Password').fill('a long password');
    await press(page, 'Set this password');
    await says(page, `You are ${email}.`);
  }

  test('signs up, logs in by code, sets a new password, and deletes the account', async () => {
    const email = 'ann@example.com';
    const page = await open();

    await signUp(page, email, 'Sign up');
    await press(page, 'Log out');
    await says(page, 'You are logged out.');
    await page.getByLabel('E-mail').fill(email);
    await press(page, 'Send a code');
    await says(page, 'Enter the code in your mail.');
    await page.getByLabel('Code').fill(await inMail(email, 'Your code', /\b\d{6}\b/));
    await press(page, 'Log in with the code');
    await says(page, `You are ${email}.`);
    await press(page, 'Log out');
    await says(page, 'You are logged out.');
    await press(page, 'Forgot password');
    await says(page, 'Open the link in your mail.');
    await page.goto('about:blank');
    await page.goto(await inMail(email, 'Set a new password', link));
    await page.getByLabel('Password').fill('another password');
    await press(page, 'Set this password');
    await says(page, `You are ${email}.`);
    await page.getByLabel('Password').fill('another password');
    await press(page, 'Delete my account');
    await says(page, 'Your account is deleted.');

    await inMail(email, 'Your account was deleted', link);
  }, 120_000);

  test('makes a user of a guest', async () => {
    const page = await open();

    await press(page, 'Try as a guest');
    await says(page, 'You are a guest.');
    await signUp(page, 'bob@example.com', 'Keep my things: sign up');
  }, 120_000);

  test('logs in at another service', async () => {
    const page = await open();

    await press(page, 'Log in with Example');
    await page.locator('input[name=login]').fill('carol');
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();

    await says(page, 'You are carol@example.com.');
    expect(page.url()).toBe(address);
  }, 120_000);

  test('has at most 100 lines', () => {
    expect(blockOf('html').trim().split('\n').length).toBeLessThanOrEqual(100);
  });
});
