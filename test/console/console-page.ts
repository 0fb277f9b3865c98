import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openClient, type SendRequest } from '../../shared/clients/client.ts';
import type { Role } from '../../shared/values/access.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import { violations, watchFaults } from '../support/page-tab.ts';
import { startProcess } from '../support/server-process.ts';

/** The browser for tests of the console; undefined if there is none. */
export const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

/** Widths in CSS pixels at which screens are tested: a desk and a phone. */
export const widths = [1280, 390] as const;

const email = 'owner@example.com';

/** The console of a server process with one instance, in a browser. */
export interface Console {
  readonly browser: Browser;
  readonly url: string;
  /** Account key of the owner. */
  readonly owner: string;
  /** Sends a request as the owner, to `/v1.1/…` or an absolute address. */
  readonly send: SendRequest;
  /** Returns the log of the server so far: mails and errors. */
  logged(): readonly Readonly<Record<string, unknown>>[];
  /** Makes a member of the instance with a role, and returns the account key. */
  join(role: Role): Promise<string>;
  /** Opens a tab in which the owner is signed in. */
  open(path: string, options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

interface TabOptions {
  readonly width?: number;
  readonly isDark?: boolean;
  /** Is not signed in. */
  readonly isStranger?: boolean;
  /** Account key of who is signed in; absent: the owner. */
  readonly key?: string;
}

/** A tab. */
export interface Tab {
  readonly page: Page;
  /** Script errors, violations of the policy, and errors in the log. */
  readonly faults: readonly string[];
  /** Fails when axe finds a violation, or the content is wider than the window. */
  check(): Promise<void>;
  /** Fails when there were faults. */
  close(): Promise<void>;
}

/**
 * Starts a server process and a browser.
 *
 * @param instance name of the instance that is made: the first one
 * @param prepare receives the empty data folder before the server starts on it
 * @param variables further settings of the server
 */
export async function openConsole(
  instance: string,
  prepare?: (folder: string) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<Console> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-console-'));
  await prepare?.(folder);
  const [browser, server] = await Promise.all([
    openBrowser(program ?? ''),
    startProcess(folder, {
      node: ['--max-semi-space-size=32'],
      variables: { GROUNDWORK_LOG: 'info', GROUNDWORK_LOG_FORMAT: 'json', ...variables }, // it has the mails
    }),
  ]);
  const { url } = server;
  const body = { email, password: 'a password' };
  const account = await openClient(url)({ path: '/v1.1/account/register/', body });
  const owner: string = account.body.account_key;
  const send = openClient(url, owner);
  await send({ path: '/v1.1/instances/', body: { name: instance } });
  return {
    browser,
    url,
    owner,
    send,
    logged: () => {
      const lines = server.complaints().split('\n');
      return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    },
    join: async (role) => {
      const member = { email: `${role}-${randomUUID()}@example.com`, role };
      const path = `/v1.1/instances/${instance}/invitations/`;
      const { key } = (await send({ path, body: member })).body;
      const joined = await openClient(url)({
        path: '/v1.1/account/register/',
        body: { email: member.email, password: 'a password', invitation_key: key },
      });
      return joined.body.account_key;
    },
    open: (path, options = {}) => openTab(browser, { url, owner, path, ...options }),
    close: async () => {
      await browser.close();
      await server.end('SIGTERM');
      rmSync(folder, { recursive: true });
    },
  };
}

interface Opening extends TabOptions {
  readonly url: string;
  readonly owner: string;
  readonly path: string;
}

async function openTab(
  browser: Browser,
  { url, owner, path, width = 1280, isDark, isStranger, key = owner }: Opening,
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce', // otherwise colours are measured in the middle of an animation
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults = watchFaults(page);
  if (!isStranger) {
    const { body } = await openClient(url, key)({ path: '/v1.1/account/' });
    await page.addInitScript(signInScript({ accountKey: key, email: body.email, id: body.id }));
  }
  await page.goto(`/console/#${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return {
    page,
    faults,
    check: () => checkPage(page),
    close: async () => {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}

/** Returns a script for each page, which signs an account in. */
export function signInScript(session: object): string {
  const text = JSON.stringify(JSON.stringify(session));
  return `if (self === top) sessionStorage.setItem('groundwork-console', ${text})`;
}

/** Fails when axe finds a violation, the content is wider than the window, or a dialog is not in its middle. */
export async function checkPage(page: Page, name = page.url()): Promise<void> {
  expect(await violations(page), name).toEqual([]);
  const spare = 'innerWidth - document.documentElement.scrollWidth';
  expect(await page.evaluate(spare), name).toBeGreaterThanOrEqual(0);
  const offMiddle = `[...document.querySelectorAll('dialog:modal')]
    .map((dialog) => dialog.getBoundingClientRect())
    .filter(({ left, right }) => Math.abs(left - (innerWidth - right)) > 20).length`; // a scroll bar
  expect(await page.evaluate(offMiddle), name).toBe(0);
}
