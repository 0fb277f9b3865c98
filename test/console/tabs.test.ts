import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { watchFaults } from '../support/page-tab.ts';
import { type Console, checkPage, openConsole, program } from './console-page.ts';

/*
 * Several tabs of one browser. Those of console-page.ts are signed in by a script; these are signed in by their user, or by
 * each other.
 */

const ada = { email: 'ada@example.com', password: 'a long password' };
const ben = { email: 'ben@example.com', password: 'a long password' };

describe.skipIf(program === undefined)('tabs of the console in one browser', () => {
  let view: Console;
  let context: BrowserContext;
  let keys: Readonly<Record<string, string>>;
  const faults: string[] = [];

  beforeAll(async () => {
    view = await openConsole('library');
    const register = async (body: object) =>
      (await view.send({ path: '/v1.1/account/register/', body })).body.account_key;
    keys = { ada: await register(ada), ben: await register(ben) };
  }, 120_000);
  afterAll(() => view?.close());

  beforeEach(async () => {
    context = await view.browser.newContext({ baseURL: view.url, reducedMotion: 'reduce' });
    context.setDefaultTimeout(20_000);
    context.on('page', (page) => watch(page));
  });
  afterEach(async () => {
    await context.close();
    expect(faults.splice(0)).toEqual([]);
  });

  function watch(page: Page): void {
    const seen = watchFaults(page);
    page.on('close', () => faults.push(...seen));
  }

  async function openTab(path = '/'): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`/console/#${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  async function signIn(page: Page, { email, password } = ada): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor({ state: 'detached' });
  }

  const heading = (page: Page, name: string) =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const who = (page: Page, { email } = ada) => page.getByRole('link', { name: email }).waitFor();

  test('a link that is opened in a new tab opens its screen, signed in', async () => {
    const first = await openTab();
    await signIn(first);
    const opened = context.waitForEvent('page');
    await first.getByRole('link', { name: ada.email }).click({ modifiers: ['Control'] });
    const second = await opened;

    await heading(second, 'Your account');
    await who(second);
    expect(new URL(second.url()).hash).toBe('#/account');
    await second.reload();
    await heading(second, 'Your account');
  });

  test('the key and the verifier are on no channel, and the code is in no panel', async () => {
    const listener = await context.newPage();
    await listener.goto('/health'); // of the same origin
    await listener.evaluate(`{
      self.heard = [];
      new BroadcastChannel('groundwork-console').onmessage = ({ data }) => heard.push(data);
    }`);
    const first = await openTab();
    await signIn(first);
    const exchange = context.waitForEvent('request', (sent) => sent.url().includes('/exchange/'));
    const second = await openTab('/account');
    await who(second);

    const heard: readonly { readonly kind: string }[] = await listener.evaluate('heard');
    const { code, code_verifier: verifier } = (await exchange).postDataJSON();
    const kinds = heard.map(({ kind }) => kind);
    expect([...new Set(kinds)]).toEqual(['ask', 'offer', 'choice', 'code']);
    const text = JSON.stringify(heard);
    expect(text).toContain(code);
    expect(text).not.toContain(verifier);
    expect(text).not.toContain(keys.ada);
    await second.getByText('Requests of this screen').click();
    for (const page of [first, second]) {
      expect(await page.content()).not.toContain('/account/auth/');
    }
  });

  test('only one of several signed-in tabs is asked for a code', async () => {
    await signIn(await openTab());
    await openTab();
    await openTab();
    const sent: string[] = [];
    context.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await who(await openTab('/account'));

    const codes = sent.filter((path) => path.startsWith('/v1.1/account/auth/'));
    expect(codes).toEqual(['/v1.1/account/auth/code/', '/v1.1/account/auth/exchange/']);
  });

  test('a sign-out reaches tabs that were away, and is not undone by another tab', async () => {
    const first = await openTab();
    await signIn(first);
    const away = await openTab('/account');
    await who(away);
    await away.goto('/health');
    await first.getByRole('button', { name: 'Sign out' }).click();
    await heading(first, 'Sign in');
    expect(new URL(first.url()).hash).toBe('#/sign-in');

    await away.goBack();
    await heading(away, 'Sign in');
    await first.goto('/console/#/');
    await first.reload();
    await heading(first, 'Sign in');
    await signIn(first);
    await heading(first, 'Your instances');
  });

  test('a sign-out signs out the tabs of the same account, and says so', async () => {
    const first = await openTab();
    await signIn(first);
    const second = await openTab('/account');
    await who(second);
    const other = await openTab('/sign-in');
    await signIn(other, ben);
    await first.getByRole('button', { name: 'Sign out' }).click();

    await heading(second, 'Sign in');
    await second.getByText('because you signed out in another tab').waitFor();
    await heading(first, 'Sign in');
    await who(other, ben);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await heading(other, 'Sign in');
    await heading(await openTab('/account'), 'Sign in');
    await signIn(second);
    await heading(second, 'Your account');
  });

  test('the link of an invitation opens for the account of another tab', async () => {
    await signIn(await openTab());
    const path = '/v1.1/instances/library/invitations/';
    const { body } = await view.send({ path, body: { email: ben.email } });
    const second = await openTab(`/invitation?key=${body.key}`);

    await second.getByText(`You are signed in as ${ada.email}.`).waitFor();
    await second.getByRole('button', { name: 'Use another account' }).click();
    await second.getByRole('link', { name: 'Groundwork' }).click();
    await heading(second, 'Sign in');
  });

  test('two tabs may have two accounts', async () => {
    await signIn(await openTab());
    const second = await openTab('/sign-in');
    await signIn(second, ben);

    await who(second, ben);
  });

  test('a view as somebody else stays in its tab', async () => {
    const { browser, url } = view;
    const own = await browser.newContext({ baseURL: url });
    const first = await own.newPage();
    await first.goto('/console/#/i/library/keys');
    await first.getByLabel('E-mail').fill('owner@example.com');
    await first.getByLabel('Password').fill('a password');
    await first.getByRole('button', { name: 'Sign in' }).click();
    await heading(first, 'API keys');
    await view.send({
      path: '/v1.1/instances/library/api_keys/',
      body: { description: 'web shop' },
    });
    await first.reload();
    await first
      .getByRole('button', { name: /View as/ })
      .first()
      .click();
    await first.getByText('Viewing library as').waitFor();
    const second = await own.newPage();
    await second.goto('/console/#/i/library/keys');
    await heading(second, 'API keys');

    expect(await second.getByText('Viewing library as').count()).toBe(0);
    await own.close();
  });

  test('a tab whose key has ended gives no code, and the new one asks to sign in at once', async () => {
    const first = await openTab('/sign-in');
    await signIn(first, ben);
    await view.send({ method: 'POST', path: '/v1.1/account/reset_key/', key: await keyOf(ben) });
    const second = await openTab('/account');

    await heading(second, 'Sign in');
    await first.getByText('because the account key was reset').waitFor();
  });

  test('other messages of the channel have no effect', async () => {
    const first = await openTab();
    await signIn(first);
    const sent: string[] = [];
    first.on('request', (request) => sent.push(new URL(request.url()).pathname));
    const listener = await context.newPage();
    await listener.goto('/health');
    const heard = await listener.evaluate(`new Promise((resolve) => {
      const heard = [];
      const server = location.origin + '/';
      const channel = new BroadcastChannel('groundwork-console');
      channel.onmessage = ({ data }) => heard.push(data);
      for (const data of [null, 1, 'ask', {}, { kind: 'ask', server: server + 'another/', value: 'any' },
        { kind: 'choice', server, about: 'x', value: 'another tab' },
        { kind: 'code', server, about: 'x', value: '1.x' }, { kind: 'signed out', server, about: 'x' }]) {
        channel.postMessage(data);
      }
      setTimeout(() => resolve(heard), 500);
    })`);

    expect(heard).toEqual([]);
    expect(sent.filter((path) => path.startsWith('/v1.1/account/'))).toEqual([]);
    await who(first);
  });

  test('without a secure context each tab signs in by itself', async () => {
    const name = 'console.example';
    const browser = await openBrowser(program ?? '', `--host-resolver-rules=MAP ${name} 127.0.0.1`);
    const insecure = await browser.newContext({ baseURL: view.url.replace('127.0.0.1', name) });
    const first = await insecure.newPage();
    await first.goto('/console/');
    await signIn(first);
    const second = await insecure.newPage();
    await second.goto('/console/');
    await heading(second, 'Sign in');
    await first.getByRole('button', { name: 'Sign out' }).click();

    await heading(first, 'Sign in');
    expect(await second.evaluate('isSecureContext')).toBe(false);
    await browser.close();
  });

  test.each([
    ['reset elsewhere', 'because the account key was reset'],
    ['unknown to the server', 'because this server does not know the account key'],
  ])('a key that is %s ends the session, which says why', async (kind, reason) => {
    const page = await openTab('/sign-in?next=/account');
    await signIn(page, ben);
    await heading(page, 'Your account');
    const reset = async () =>
      view.send({ method: 'POST', path: '/v1.1/account/reset_key/', key: await keyOf(ben) });
    if (kind === 'reset elsewhere') await reset();
    else {
      const stored = JSON.stringify({ accountKey: `02${'0'.repeat(54)}`, email: ben.email });
      await page.evaluate(
        `sessionStorage.setItem('groundwork-console', ${JSON.stringify(stored)})`,
      );
    }
    await page.reload();

    await page.getByText(reason).waitFor();
    await checkPage(page);
    await signIn(page, ben);
    await heading(page, 'Your account');
  });

  async function keyOf(body: object): Promise<string> {
    return (await view.send({ path: '/v1.1/account/auth/', body })).body.account_key;
  }
});
