import { describe, expect, it } from 'vitest';
import type { Share } from '../../shared/ports/limits/fair-queue.ts';
import {
  openFreeScans,
  openScanBudget,
  openScans,
  type Scan,
  type Scans,
} from '../../shared/ports/limits/scans.ts';

/** Simulated time that advances only while tests work, and simulated turns of the event loop. */
function openTime() {
  let now = 0;
  let arrived: (() => void)[] = [];
  const clock = {
    now: () => now,
    afterOthers: (run: () => void) => void arrived.push(run),
    alarm: () => () => undefined,
  };
  const turn = async () => {
    await new Promise(setImmediate); // promises settle
    const all = arrived;
    arrived = [];
    for (const run of all) run();
    await new Promise(setImmediate); // promises settle
  };
  return { clock, turn, work: (ms: number) => (now += ms) };
}

type Time = ReturnType<typeof openTime>;

/** A search that works for so long, as recorded in `order`. */
async function search(
  { work }: Time,
  scan: Scan,
  {
    name,
    slices,
    order,
  }: { readonly name: string; readonly slices: number; readonly order: string[] },
): Promise<void> {
  try {
    for (let n = 0; n < slices && !scan.isSpent(); n += 1) {
      work(5);
      order.push(name);
      if (scan.isDue()) await scan.pause();
    }
    order.push(scan.isSpent() ? `${name} spent` : `${name} done`);
  } finally {
    scan.close();
  }
}

const of = (instance: string) => ({ owner: instance, instance: '' });
/** A search that holds a slot, or waits for one. */
const openLong = ({ work }: Time, scans: Scans, share: Share): Promise<void> => {
  const scan = scans.open(share);
  work(5);
  return scan.pause();
};

describe('searches', () => {
  it('have one slice in each turn of the event loop, the instances in turn, two of each', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    const order: string[] = [];
    const names = ['a', 'a', 'a', 'b'];

    const all = names.map((name) => search(time, scans.open(of(name)), { name, slices: 3, order }));
    const first = [...order];
    const turns: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      const before = order.length;
      await time.turn();
      turns.push(order.filter((entry, at) => at >= before && !entry.includes(' ')).length);
    }
    await Promise.all(all);

    expect(first).toEqual(['a', 'a', 'a', 'b']);
    expect(order.slice(4, 7)).toEqual(['a', 'b', 'a']);
    expect(order.filter((entry) => entry.endsWith('done')).at(0)).toBe('b done');
    expect(Math.max(...turns)).toBe(1);
    expect(order.filter((entry) => entry === 'a done').length).toBe(3);
  });

  it('end after one and a half seconds of their own work, however long they wait', async () => {
    const time = openTime();
    const scan = openScans(time.clock).open(of('a'));
    const order: string[] = [];

    const going = search(time, scan, { name: 'a', slices: 1000, order });
    for (let n = 0; n < 320; n += 1) {
      time.work(20); // of others
      await time.turn();
    }
    await going;

    expect([order.length - 1, order.at(-1)]).toEqual([300, 'a spent']);
  });

  it('of one request have five seconds together', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    const budget = openScanBudget();
    const order: string[] = [];

    for (let n = 0; n < 10; n += 1) {
      const going = search(time, scans.open(of('a'), budget), { name: 'a', slices: 200, order });
      for (let turns = 0; turns < 210; turns += 1) await time.turn();
      await going;
    }

    const worked = order.filter((entry) => entry === 'a').length;
    expect([worked * 5, order.filter((entry) => entry === 'a done').length]).toEqual([5000, 4]);
  });

  it('are rejected when more than a hundred of an instance wait', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    const open = (instance: string) => {
      const scan = scans.open(of(instance));
      time.work(5);
      return scan;
    };

    const paused = Array.from({ length: 104 }, () => open('a').pause());
    const refused = Promise.allSettled(paused.slice(102));
    const other = open('b').pause();
    await time.turn();
    await time.turn();
    await time.turn();

    expect(await refused).toMatchObject([
      { reason: { status: 429, headers: { 'Retry-After': '1' } } },
      { reason: { status: 429 } },
    ]);
    expect(await other).toBeUndefined();
  });

  it('of an owner have half of the slots at most, for any number of instances', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    for (let n = 0; n < 80; n += 1) {
      void openLong(time, scans, { owner: 'a', instance: String(n % 40) });
    }

    const other = openLong(time, scans, { owner: 'b', instance: '1' });
    for (let n = 0; n < 3; n += 1) await time.turn();

    expect(await Promise.race([other, 'waits'])).toBeUndefined();
  });

  it('of an owner that wait are half of all at most, for any number of instances', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    const all = Array.from({ length: 32 + 501 }, (_, n) =>
      openLong(time, scans, { owner: 'a', instance: String(n % 40) }),
    );

    let refused = 0;
    for (const one of all) one.catch(() => (refused += 1));
    const other = openLong(time, scans, { owner: 'b', instance: '1' });
    for (let n = 0; n < 3; n += 1) await time.turn();

    expect(refused).toBe(1);
    expect(await Promise.race([other, 'waits'])).toBeUndefined();
  });

  it('of an owner with several instances have one turn for each of another owner', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    const order: string[] = [];
    const shares = ['1', '2', '3'].map((instance) => ({ owner: 'a', instance }));

    const all = [...shares, { owner: 'b', instance: '4' }].map((share) =>
      search(time, scans.open(share), { name: share.owner, slices: 4, order }),
    );
    for (let n = 0; n < 20; n += 1) await time.turn();
    await Promise.all(all);

    expect(order.slice(4, 10)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('that end at once never wait and occupy no slot', async () => {
    const time = openTime();
    const scans = openScans(time.clock);

    for (let n = 0; n < 200; n += 1) {
      const scan = scans.open(of('a'));
      time.work(1);
      expect([scan.isDue(), scan.isSpent()]).toEqual([false, false]);
      scan.close();
    }
    const late = scans.open(of('a'));
    time.work(5);
    const going = late.pause();
    await time.turn();

    expect(await going).toBeUndefined();
  });

  it('with concurrent parts pause as a whole', async () => {
    const time = openTime();
    const scan = openScans(time.clock).open(of('a'));
    time.work(5);

    const parts = [scan.pause(), scan.pause()];
    await time.turn();

    expect(await Promise.all(parts)).toEqual([undefined, undefined]);
  });

  it('release their slot when they are closed while they wait', async () => {
    const time = openTime();
    const scans = openScans(time.clock);
    const open = () => {
      const scan = scans.open(of('a'));
      time.work(5);
      return { scan, paused: scan.pause() };
    };
    const [one, two, waiting] = [open(), open(), open()];

    waiting.scan.close();
    one.scan.close();
    two.scan.close();
    for (let n = 0; n < 9; n += 1) await time.turn();
    const next = [open(), open()];
    for (let n = 0; n < 9; n += 1) await time.turn();

    expect(await Promise.all(next.map(({ paused }) => paused))).toEqual([undefined, undefined]);
  });
});

describe('where one request is served at a time', () => {
  it('a search is limited by its own time', async () => {
    let now = 0;
    const scan = openFreeScans(() => now).open(of('a'));

    const before = [scan.isDue(), scan.isSpent(), await scan.pause()];
    now = 1501;

    expect([before, scan.isDue(), scan.isSpent()]).toEqual([
      [false, false, undefined],
      false,
      true,
    ]);
  });
});
