import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../shared/values/access.ts';
import { expected } from '../support/api.ts';
import { type AllScreens, openAllScreens, screens } from './all-screens.ts';
import { program } from './console-page.ts';

/** The screens of an instance; of scripts and their endpoints two tabs. */
const inInstance = screens
  .filter((screen) => screen.startsWith('/i/'))
  .flatMap((screen) =>
    screen.includes('scripts/:') ? [screen, `${screen}?tab=settings`] : [screen],
  );

/** Controls of a screen that may send something, apart from links and the list of its requests. */
const controls = `[...document.querySelectorAll('main button, main select')].filter((each) =>
  !each.matches(':disabled') && each.checkVisibility() && !each.closest('.api, form')?.matches('.api'))`;

/** What is shown in place of a request that the role does not allow. */
const refusals = `[...document.querySelectorAll('.notice, form .problem, :modal .soft')]
  .map((each) => each.textContent).filter((text) => text.includes('Your role is '))`;

/** Presses a control; in a dialog that it opens, whatever the fields have, the button that sends it. */
const press = `(async (index) => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 60));
  const control = ${controls}[index];
  if (control.matches('select')) {
    control.selectedIndex = control.options.length - 1 - control.selectedIndex;
    control.dispatchEvent(new Event('change', { bubbles: true }));
  } else {
    for (const form of document.forms) form.noValidate = true;
    control.click();
  }
  await wait();
  for (let step = 0; step < 2; step += 1) {
    const form = document.querySelector('dialog:modal form');
    if (form === null) break;
    form.noValidate = true;
    const name = form.querySelector('label strong')?.textContent;
    if (name) {
      const input = form.querySelector('input');
      input.value = name;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await wait();
    }
    form.querySelector('[type=submit]')?.click();
    await wait();
  }
  return control.textContent || control.ariaLabel;
})`;

describe.skipIf(program === undefined)('members with a role', () => {
  let all: AllScreens;

  beforeAll(async () => {
    all = await openAllScreens('plain');
  }, 240_000);

  afterAll(() => all?.close());

  async function joinAs(role: Role): Promise<BrowserContext> {
    const { api, world } = all;
    const email = `${role}-member-${Date.now()}@example.com`;
    const account = await world.account(email);
    const { key } = expected(await world.own('POST', 'invitations/', { email, role }), 201);
    const body = { invitation_key: key };
    const path = '/v1.1/account/invitations/accept/';
    expected(await api.send({ as: account, path, body }), 204);
    return all.openContext(1280, 'light', account);
  }

  /** Opens a screen; the returned function waits until it has sent nothing for a while. */
  async function openScreen(page: Page, place: string): Promise<() => Promise<void>> {
    let sent = 0;
    page.on('request', () => {
      sent += 1;
    });
    const settle = async () => {
      for (let before = -1; before !== sent; ) {
        before = sent;
        await page.waitForTimeout(150);
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      }
    };
    await page.goto(`${all.api.url}/console/#${place}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (place !== '/parts') await settle();
    return settle;
  }

  test.each(['read', 'write', 'full', 'owner'] as const)(
    '%s: no screen sends a request that is refused, or for something that is not there',
    async (role) => {
      const context = await (role === 'owner' ? all.openContext(1280, 'light') : joinAs(role));
      const failed: string[] = [];
      for (const screen of screens) {
        const page = await context.newPage();
        page.on('response', (response) => {
          if (![403, 404].includes(response.status())) return;
          failed.push(`${screen}: ${response.status()} ${new URL(response.url()).pathname}`);
        });
        await openScreen(page, all.fill(screen));
        await page.close();
      }
      await context.close();

      expect(failed).toEqual([]);
    },
    300_000,
  );

  test('users of an instance without accounts of users have no sessions to ask for', async () => {
    const off = { email: 'off', guests: false, codes: false, providers: [] };
    expected(await all.world.own('PATCH', 'user_settings/', off), 200);
    const context = await joinAs('write');
    const page = await context.newPage();
    const failed: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 404) failed.push(response.url());
    });
    await openScreen(page, '/i/library/users/1');
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    await context.close();

    expect(failed).toEqual([]);
  });

  test('a role that was raised is seen after a minute', async () => {
    const context = await joinAs('read');
    const page = await context.newPage();
    await page.clock.install();
    await openScreen(page, '/i/library/scripts');
    const add = page.getByRole('button', { name: 'New script' }).first();
    expect(await add.count()).toBe(0);
    const { objects } = expected(await all.world.own('GET', 'admins/'), 200);
    const id = Math.max(...objects.map((admin: { id: number }) => admin.id)); // the account that joined last
    expected(await all.world.own('PATCH', `admins/${id}/`, { role: 'write' }), 200);
    await page.clock.fastForward(61_000);
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    await page.getByRole('link', { name: 'Scripts' }).click();
    await add.waitFor();
    await context.close();
  });

  test.each(['read', 'write'] as const)(
    '%s: no control sends a request that is refused',
    async (role) => {
      const context = await joinAs(role);
      // nothing is changed: a write that would be sent is allowed, or refused by the console
      await context.route('**/v1.1/**', (requested) =>
        requested.request().method() === 'GET'
          ? requested.continue()
          : requested.fulfill({ status: 503, json: { detail: 'Not now.' } }),
      );
      const failed: string[] = [];
      let pressed = 0;
      for (const screen of inInstance) {
        for (let index = 0, count = 1; index < count; index += 1) {
          const page = await context.newPage();
          const settle = await openScreen(page, all.fill(screen));
          count = await page.evaluate<number>(`${controls}.length`);
          if (count === 0) continue;
          const name = await page.evaluate<string>(`${press}(${index})`);
          await settle();
          const refused = await page.evaluate<string[]>(refusals);
          failed.push(...refused.map((text) => `${screen} ${name}: ${text}`));
          pressed += 1;
          await page.close();
        }
      }
      await context.close();
      process.stdout.write(`${role}: ${pressed} controls\n`);

      expect(failed).toEqual([]);
      expect(pressed).toBeGreaterThan(inInstance.length / 2); // otherwise nothing was tested
    },
    900_000,
  );
});
