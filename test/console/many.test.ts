import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program } from './console-page.ts';

// Bounds are wide: other programs use the machine too. What was measured is printed.
const usualMedianMs = 100; // between two frames
const jumpMedianMs = 200; // each frame renders all rows of the view
const maxFrameMs = 1_000;
const maxAttempts = 5;
const maxListMs = 15_000;
const maxTaskMs = 1_000;
const rowCount = 100_000;
const classCount = 5_000;

/** Has the page itself respond to lists: a server would need long to get so many objects. */
const answered = `
  const { fetch } = window;
  window.latencyMs = 40; // of a page
  window.rowsPerPage = 50;
  const summary = 'A word, and others. '.repeat(20);
  const rowOf = (id) => ({ id, revision: 1, title: 'Book ' + id, pages: id % 900, summary,
    read: id % 2 === 0, printed: { type: 'datetime', value: '2024-05-01T10:00:00.000000Z' } });
  const classOf = (id) => ({ name: 'class_' + id, description: 'Number ' + id, status: 'ready', revision: 1,
    objects_count: id, schema: Array.from({ length: 12 }, (_, field) => ({ name: 'field_' + field, type: 'string' })) });
  const pageOf = (path, { from, count, total, make }) => ({
    next: from + count >= total ? null : path + '?from=' + (from + count), prev: null,
    objects: Array.from({ length: Math.min(count, total - from) }, (_, index) => make(from + index + 1)),
  });
  window.fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(url);
    const from = Number(searchParams.get('from') ?? 0);
    const isObjects = pathname.endsWith('/book/objects/');
    if (!isObjects && !pathname.endsWith('/plenty/classes/')) return fetch(url, init);
    await new Promise((resolve) => setTimeout(resolve, latencyMs));
    return Response.json(isObjects
      ? pageOf(pathname, { from, count: rowsPerPage, total: ${rowCount}, make: rowOf })
      : pageOf(pathname, { from, count: 100, total: ${classCount}, make: classOf }));
  };
  window.tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ entryTypes: ['longtask'] });
`;

/** Scrolls the grid down and up for some seconds, and returns the times between frames in ms, in order of size. */
const scrolled = `(async (pixels) => {
  const box = document.querySelector('.grid-box');
  const times = [];
  let step = pixels;
  let last = await new Promise(requestAnimationFrame);
  for (const end = last + 4000; last < end; ) {
    if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) step = -pixels;
    if (box.scrollTop <= 0) step = pixels;
    box.scrollTop += step;
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times.sort((a, b) => a - b);
})`;

describe.skipIf(program === undefined)('many rows and classes in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('plenty');
    const schema = [
      { name: 'title', type: 'string' },
      { name: 'pages', type: 'integer' },
      { name: 'summary', type: 'text' },
      { name: 'read', type: 'boolean' },
      { name: 'printed', type: 'datetime' },
    ];
    await view.send({
      path: '/v1.1/instances/plenty/classes/',
      body: { name: 'book', schema },
    });
  }, 120_000);

  afterAll(() => view?.close());

  /** Fails when each of some attempts was slow: other programs disturb one or another. */
  async function expectSmooth(
    page: Page,
    what: string,
    { pixels, maxMedianMs = usualMedianMs }: { pixels: number; maxMedianMs?: number },
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const times: readonly number[] = await page.evaluate(`${scrolled}(${pixels})`);
      const median = times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
      const longest = times.at(-1) ?? Number.POSITIVE_INFINITY;
      const perSecond = (times.length / 4).toFixed(1);
      const figures = `median ${median.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`;
      process.stdout.write(`${what}: ${perSecond} frames a second, ${figures}\n`);
      if (median <= maxMedianMs && longest <= maxFrameMs) return;
      expect(attempt, `${what}: ${figures}`).toBeLessThan(maxAttempts);
    }
  }

  test('a grid of 100,000 rows is scrolled', async () => {
    const tab = await view.open('/i/plenty');
    const { page } = tab;
    await page.evaluate(answered);
    await page.evaluate(`location.hash = '/i/plenty/data/book'`);
    await page.getByText('Book 1', { exact: true }).waitFor();
    await expectSmooth(page, 'while pages are loaded', { pixels: 700 });

    await page.evaluate('latencyMs = 1; rowsPerPage = 2000');
    await page.evaluate(`(async () => {
      const box = document.querySelector('.grid-box');
      while (box.scrollHeight < 38 * ${rowCount}) {
        box.scrollTop = box.scrollHeight;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      box.scrollTop = 0;
    })()`);
    await page.getByText('100,000 objects').waitFor(); // and none of them twice
    await page.getByText('Book 1', { exact: true }).waitFor();
    await expectSmooth(page, 'a page a frame, of 100,000 rows', { pixels: 700 });
    await expectSmooth(page, 'jumps, of 100,000 rows', {
      pixels: 40_000,
      maxMedianMs: jumpMedianMs,
    });
    await page.evaluate(`document.querySelector('.grid-box').scrollTop = 1e9`);
    await page.getByText(`Book ${rowCount}`, { exact: true }).waitFor();
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(rowCount + 1));
    expect(await page.locator('.grid tr').count()).toBeLessThan(100);
    await tab.close();
  }, 240_000);

  test('a list of 5,000 classes appears, and its filter is quick', async () => {
    const tab = await view.open('/i/plenty');
    const { page } = tab;
    await page.evaluate(answered);
    await page.evaluate('latencyMs = 10');
    const started = Date.now();
    await page.evaluate(`location.hash = '/i/plenty/data'`);
    await page.getByText('5,000 classes').waitFor({ timeout: 60_000 });
    const listMs = Date.now() - started;
    await page.evaluate('tasks.length = 0');
    const filter = page.getByLabel('Filter by name');
    await filter.pressSequentially('class_4999', { delay: 60 });
    await page.getByText('1 of 5,000 classes').waitFor();
    for (let press = 0; press < 10; press += 1) await filter.press('Backspace', { delay: 60 });
    await page.getByText('5,000 classes', { exact: true }).waitFor();

    const longest = Math.max(0, ...(await page.evaluate<number[]>('tasks')));
    process.stdout.write(`${classCount} classes after ${listMs} ms; longest task ${longest} ms\n`);
    expect(listMs).toBeLessThan(maxListMs);
    expect(longest).toBeLessThan(maxTaskMs);
    await tab.close();
  }, 180_000);
});
