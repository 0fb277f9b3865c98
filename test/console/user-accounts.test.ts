import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeUser } from '../support/changed-user.ts';
import { watchFaults } from '../support/page-tab.ts';
import { beginSession, sessionsOf, setUserSettings } from '../support/user-sessions.ts';
import { type AllScreens, openAllScreens } from './all-screens.ts';
import { checkPage, program, widths } from './console-page.ts';

const hour = 3600;

describe.skipIf(program === undefined)('users with addresses and sessions in the console', () => {
  let all: AllScreens;

  beforeAll(async () => {
    all = await openAllScreens('plain');
  }, 240_000);

  afterAll(() => all?.close());

  const now = () => Math.floor(all.api.platform.clock.micros() / 1_000_000);
  const create = async (username: string) =>
    (await all.world.create('users/', { username, password: 'a password' })).id as number;
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  async function openPage(place: string, width: number) {
    const page = await (await all.openContext(width, 'light')).newPage();
    page.setDefaultTimeout(30_000);
    const faults = watchFaults(page);
    await page.goto(`${all.api.url}/console/#/i/library/${place}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const close = async () => {
      await page.context().close();
      expect(faults).toEqual([]);
    };
    return { page, close };
  }

  test('without addresses the screens are as before', async () => {
    await setUserSettings(all.world, {});
    await create('old');
    const { page, close } = await openPage('users', 1280);

    await page.getByRole('link', { name: 'old' }).waitFor();
    const columns = await page.getByRole('columnheader').allTextContents();
    await page.getByRole('link', { name: 'old' }).click();
    await page.getByRole('heading', { name: 'Groups' }).waitFor();

    expect(columns).toEqual(['Name', 'Groups', 'Registered']);
    expect(await page.getByRole('heading', { name: 'Sessions' }).count()).toBe(0);
    expect(await page.getByText('Address').count()).toBe(0);
    await close();
  });

  test.each(widths)('the list shows addresses and guests, %i px wide', async (width) => {
    await setUserSettings(all.world, { email: 'optional', guests: true });
    const [ada, bob, guest] = [`ada-${width}`, `bob-${width}`, `guest-${width}`];
    const confirmed = { email: `ada-${width}@example.com`, isEmailConfirmed: true } as const;
    await changeUser(all.world, await create(ada), confirmed);
    await changeUser(all.world, await create(bob), { email: `bob-${width}@example.com` });
    await changeUser(all.world, await create(guest), { guestUntil: now() + 48 * hour });
    const { page, close } = await openPage('users', width);

    await page.getByRole('link', { name: guest }).waitFor();
    await checkPage(page);

    const texts = await Promise.all(
      [ada, bob, guest].map((name) => rowOf(page, name).textContent()),
    );
    expect(texts[0]).toMatch(/@example\.com\s*confirmed/);
    expect(texts[1]).toMatch(/@example\.com\s*not confirmed/);
    expect(texts[2]).toMatch(/guest ends in 2 days/);
    await close();
  });

  test.each(widths)('sessions of a user are listed and ended, %i px wide', async (width) => {
    const { world } = all;
    await setUserSettings(world, { email: 'optional' });
    const id = await create(`eve-${width}`);
    await changeUser(world, id, { email: `eve-${width}@example.com`, isEmailConfirmed: true });
    await beginSession(world, id, { proof: 'code' });
    await beginSession(world, id, { proof: 'provider', provider: 'google' });
    await beginSession(world, id);
    const { page, close } = await openPage(`users/${id}`, width);

    await page.getByText('by google').waitFor();
    await page.getByText('with a code').waitFor();
    await page.getByText('with the password').waitFor();
    await page.getByText(`eve-${width}@example.com`).waitFor();
    await checkPage(page);
    await rowOf(page, 'by google').getByRole('button', { name: 'End the session' }).click();
    await page.getByText('by google').waitFor({ state: 'detached' });
    const left = (await sessionsOf(world, id)).map(({ data }) => data.proof);
    await page.getByRole('button', { name: 'End all sessions…' }).click();
    await page.getByRole('button', { name: 'End all sessions', exact: true }).click();
    await page.getByText('No sessions.').waitFor();

    expect(left.sort()).toEqual(['code', 'password']);
    expect(await sessionsOf(world, id)).toEqual([]);
    await close();
  });
});
