import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchFaults } from '../support/page-tab.ts';
import { type AllScreens, openAllScreens, screens } from './all-screens.ts';
import { program, widths } from './console-page.ts';
import { pressAtRandom } from './random-presses.ts';

/*
 * A law for all screens: whatever is pressed, however fast, and whatever the network does, the console makes no
 * mistake. A screen that fails says "Something went wrong"; other mistakes are errors of the page.
 */

const pressed = screens.filter((screen) => screen !== '/parts'); // it fails on purpose
const lostEach = 30; // one request of so many gets no response

describe.skipIf(program === undefined)('presses at random', () => {
  let view: AllScreens;

  beforeAll(async () => {
    view = await openAllScreens('library');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)(
    'cause no mistake of the console, %i px wide',
    async (width) => {
      const context = await view.openContext(width, 'light');
      const requests = { count: 0 };
      await context.route('**/v1.1/**', async (route) => {
        requests.count += 1;
        await new Promise((resolve) => setTimeout(resolve, (requests.count * 37) % 150));
        const isLost = requests.count % lostEach === 0;
        await (isLost ? route.abort() : route.continue()).catch(() => undefined); // the tab may be gone
      });
      for (const [index, screen] of pressed.entries()) {
        if (index % 2 !== widths.indexOf(width as 1280)) continue; // each screen at one width
        const page = await context.newPage();
        const faults = watchFaults(page);
        await page.goto(`${view.api.url}/console/#${view.fill(screen)}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const presses = await pressAtRandom(page, { seed: index + 1, count: 30 });
        const isBroken = await page.getByRole('heading', { name: 'Something went wrong' }).count();
        const mistakes = faults.filter((fault) => !fault.startsWith('Failed to load resource'));
        expect({ screen, isBroken, mistakes, presses: mistakes.length && presses }).toEqual({
          screen,
          isBroken: 0,
          mistakes: [],
          presses: 0,
        });
        await page.close();
      }
      await context.close();
    },
    240_000,
  );
});
