import { describe, expect, it } from 'vitest';
import { takeInBlocks } from '../../shared/platforms/aws/store/blocks.ts';

const counter = { pk: 'P', sk: 'numbers' };

/** A table with one counter, and other processes that use it. */
function openTable() {
  const taken: number[] = [];
  let last = 0;
  let nowMs = 1_000_000;
  const table = {
    /** Returns the count of numbers that each request took. */
    taken,
    pass: (durationMs: number) => {
      nowMs += durationMs;
    },
    takeAside: () => {
      last += 1;
    },
    fail: false,
  };
  const take = takeInBlocks(
    async (_, count) => {
      await Promise.resolve();
      if (table.fail) throw new Error('no answer');
      taken.push(count);
      last += count;
      return last - count + 1;
    },
    () => nowMs,
  );
  /** Requests `times` numbers, in order, `gapMs` apart. */
  async function ask(times: number, gapMs: number): Promise<number[]> {
    const numbers: number[] = [];
    for (let n = 0; n < times; n += 1) {
      numbers.push(await take(counter, 1));
      nowMs += gapMs;
    }
    return numbers;
  }
  return { table, take, ask };
}

const ones = (times: number) => Array.from({ length: times }, () => 1);
const upTo = (end: number) => Array.from({ length: end }, (_, n) => n + 1);

describe('numbers taken in blocks', () => {
  it('are taken one by one up to 50 in a second', async () => {
    const { table, ask } = openTable();

    const numbers = await ask(150, 21);

    expect([numbers, table.taken]).toEqual([upTo(150), ones(150)]);
  });

  it('are taken ahead for a fifth of a second at a higher rate', async () => {
    const { table, ask } = openTable();

    const numbers = await ask(83, 10);

    expect(numbers).toEqual(upTo(83));
    expect(table.taken).toEqual([...ones(50), 21, 21]); // one that is requested, 20 ahead
  });

  it('are dropped after a fifth of a second', async () => {
    const { table, ask, take } = openTable();
    await ask(51, 10);
    table.pass(191);

    const number = await take(counter, 1);

    expect([number, table.taken.at(-1)]).toEqual([72, 16]); // 51 to 71 were available
  });

  it('are dropped when they are lower than numbers assigned since', async () => {
    const { table, ask, take } = openTable();
    await ask(51, 10);
    table.takeAside();
    const many = await take(counter, 40); // more than are left

    const number = await take(counter, 1);

    expect(many).toBe(73);
    expect(number).toBe(113);
  });

  it('are taken one by one again at a low rate', async () => {
    const { table, ask } = openTable();
    await ask(60, 10);
    table.pass(2000);

    await ask(3, 500);

    expect(table.taken.slice(-3)).toEqual([1, 1, 1]);
  });

  it('are assigned once to many concurrent callers', async () => {
    const { table, take } = openTable();

    const numbers = await Promise.all(Array.from({ length: 500 }, () => take(counter, 1)));

    expect(new Set(numbers).size).toBe(500);
    expect(table.taken).toEqual([...ones(50), 1001]); // the maximum ahead
  });

  it('are counted by requests: a batch that takes many at once is one', async () => {
    const { table, take } = openTable();

    const firsts = [await take(counter, 50), await take(counter, 50), await take(counter, 1)];

    expect([firsts, table.taken]).toEqual([
      [1, 51, 101],
      [50, 50, 1],
    ]);
  });

  it('fail for waiting callers, and can be taken again', async () => {
    const { table, ask, take } = openTable();
    await ask(50, 1);
    table.fail = true;

    const outcomes = await Promise.allSettled([take(counter, 1), take(counter, 1)]);

    table.fail = false;
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await take(counter, 1)).toBe(51);
  });

  it('belong to one counter each', async () => {
    const { table, ask, take } = openTable();
    await ask(60, 1);

    await take({ ...counter, sk: 'others' }, 1);

    expect(table.taken.at(-1)).toBe(1);
  });
});
