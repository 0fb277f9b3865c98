import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchFaults } from '../support/page-tab.ts';
import { type AllScreens, openAllScreens, screens } from './all-screens.ts';
import { checkPage, program, widths } from './console-page.ts';

/** Texts that would run as code where they are taken for markup, an attribute, or an address. */
const payloads = [
  `"'><img src=x onerror=window.ran=1><script>window.ran=3</script>`, // as long as a user name may be
  'javascript:window.ran=4//{{7*7}}',
];

describe.skipIf(program === undefined).each(payloads)('everything is named %s', (payload) => {
  let all: AllScreens;

  beforeAll(async () => {
    all = await openAllScreens(payload);
  }, 240_000);

  afterAll(() => all?.close());

  test.each(widths)(
    'and nothing of it runs, on any screen, %i px wide',
    async (width) => {
      const context = await all.openContext(width, width === widths[0] ? 'light' : 'dark');
      let shown = 0;
      for (const screen of screens) {
        const page = await context.newPage();
        const faults = watchFaults(page);
        page.on('dialog', (dialog) => faults.push(dialog.message()));
        await page.goto(`${all.api.url}/console/#${all.fill(screen)}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (screen !== '/parts')
          await page.locator('.skeleton').first().waitFor({ state: 'detached' });
        await checkPage(page, screen);
        if ((await page.locator('body').textContent())?.includes(payload.slice(0, 12))) shown += 1;
        expect(await page.evaluate('window.ran'), screen).toBeUndefined();
        expect(faults, screen).toEqual([]);
        await page.close();
      }
      await context.close();
      expect(shown).toBeGreaterThan(screens.length / 3); // otherwise nothing was tested
    },
    600_000,
  );
});
