import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program } from './console-page.ts';
import { fillLibrary, instance } from './ten-tasks/book-world.ts';
import { limitOf, type TaskName } from './ten-tasks/counts.ts';
import { openHand } from './ten-tasks/hand.ts';
import { proofs } from './ten-tasks/proofs.ts';
import { tasks } from './ten-tasks/tasks.ts';

/* Daily tasks take no more presses of mouse and keyboard than in PocketBase: no more clicks, and no more of both. */

const names = Object.keys(tasks) as TaskName[]; // all of them, by their type

describe.skipIf(program === undefined)('tasks in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole(instance);
    await fillLibrary(view.send);
  }, 120_000);

  afterAll(() => view?.close());

  test.each(names)('%s', async (name) => {
    const tab = await view.open(`/i/${instance}`);
    const hand = openHand(tab.page);
    await tasks[name](hand, tab.page);
    const { clicks, keys } = hand.effort();
    await tab.close();
    await proofs[name]?.(view.send);

    const limit = limitOf(name);
    expect(clicks, 'clicks').toBeLessThanOrEqual(limit.clicks);
    expect(clicks + keys, 'clicks and keys').toBeLessThanOrEqual(limit.clicks + limit.keys);
  });
});
