import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { findBrowser, openBrowser } from '../support/browser.ts';
import { worldTest } from '../support/fixtures.ts';
import { sectionOf } from './tour.ts';

const test = worldTest({ settings: { pollMs: 60_000 } }).extend(
  'given',
  { scope: 'file' },
  ({ world }) => setUp(world),
);

/* The examples of clients that receive messages, run unchanged. */

const guide = readFileSync(new URL('../../docs/guides/channels.md', import.meta.url), 'utf8');

test('the program prints the messages of its room, also those from before it began', async ({
  given: { apiKey, publish, address },
}) => {
  await publish('garden', 'early');
  const source = example('In Node', 'js');
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { URL: address, API_KEY: apiKey, ROOM: 'garden' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();

  try {
    const first = await lines.next();
    await publish('kitchen', 'elsewhere');
    await publish('garden', 'late');
    const second = await lines.next();

    expect([first.value, second.value]).toEqual(['early', 'late']);
  } finally {
    child.kill();
  }
});

const browserPath = findBrowser();

test.skipIf(browserPath === undefined)(
  'the page shows messages as they come',
  async ({ given: { apiKey, publish, address } }) => {
    const browser = await openBrowser(browserPath ?? '');
    try {
      const page = await browser.newPage();
      const settings = { url: address, apiKey, userKey: '' };
      const given = `<script>const settings = ${JSON.stringify(settings)}</script>`;
      const isOpen = page.waitForResponse((response) => response.url().includes('/stream/'));
      await page.setContent(given + example('In a browser', 'html'));
      await isOpen;

      await publish('lobby', 'hello');
      const text = await page.locator('#messages li').first().textContent();

      expect(text).toBe('hello');
    } finally {
      await browser.close();
    }
  },
);

async function setUp(world: World) {
  const apiKey = await world.apiKey({ ignore_acl: true });
  await world.create('channels/', { name: 'chat', type: 'separate_rooms', custom_publish: true });
  const publish = async (room: string, text: string) => {
    const body = { room, payload: { text } };
    expected(await world.call(apiKey, 'POST', 'channels/chat/publish/', body), 201);
  };
  return { apiKey, publish, address: `${world.api.url}${world.base.slice(0, -1)}` };
}

function example(section: string, language: string): string {
  const [, source] =
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(sectionOf(guide, section)) ??
    [];
  if (source === undefined) throw new Error(`${section} has no ${language}`);
  return source;
}
