import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  openLocalHost,
  openTableHost,
  openVisitors,
  type PlaceHost,
  pass,
  type Visitors,
} from './place-hosts.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const turnMs = 1000; // time in which the next run notices a free slot

describe.each([
  ['of one machine', openLocalHost],
  ['of processes that share a table', openTableHost],
])('slots %s', (_name, open) => {
  let host: PlaceHost;
  let visitors: Visitors;

  beforeEach(async () => {
    host = await open();
    visitors = openVisitors(host);
    for (const name of eight) await visitors.come(name);
  });
  afterEach(() => host.close());

  const leave = async (...names: readonly string[]) => {
    await visitors.leave(...names);
    await pass(host, turnMs);
  };

  test('eight runs of an instance execute at once, and the ninth waits until one ends', async () => {
    await visitors.come('ninth');
    await pass(host, turnMs);
    const before = [...visitors.entered];

    await leave('d');

    expect(before).toEqual(eight);
    expect(visitors.entered).toEqual([...eight, 'ninth']);
  });

  test('a released slot is available at once to a new run', async () => {
    await leave('d', 'e');

    for (const name of ['i', 'j']) await visitors.come(name);

    expect(visitors.entered).toEqual([...eight, 'i', 'j']);
  });

  test('another instance has its own', async () => {
    await visitors.come('ninth');

    await visitors.come('other', { instance: 2 });

    expect(visitors.entered).toEqual([...eight, 'other']);
  });

  test('a run that has waited too long is rejected, and gets no slot', async () => {
    await visitors.come('late', { waitMs: 900 });
    await visitors.come('next');
    await pass(host, turnMs);
    const told = { ...visitors.refused };

    await leave('a');

    expect(told).toEqual({ late: 'late' });
    expect(visitors.entered).toEqual([...eight, 'next']);
  });

  test('runs that wait get their turns in their order', async () => {
    for (const name of ['i', 'j', 'k']) {
      await visitors.come(name);
      await pass(host, 25);
    }

    for (const name of ['a', 'b', 'c']) await leave(name);

    expect(visitors.entered.slice(8)).toEqual(['i', 'j', 'k']);
  });
});

describe('slots of one machine', () => {
  let host: PlaceHost;
  let visitors: Visitors;

  beforeEach(async () => {
    host = await openLocalHost();
    visitors = openVisitors(host);
    for (const name of eight) await visitors.come(name);
  });
  afterEach(() => host.close());

  test('awaited runs go first, all others in their order', async () => {
    const names = ['b2', 'c2', 'endpoint 1', 'endpoint 2'];
    for (const name of names) {
      await visitors.come(name, { isAwaited: name.startsWith('endpoint') });
      await pass(host, 25);
    }

    for (const name of ['a', 'b', 'c', 'd']) {
      await visitors.leave(name);
      await pass(host, turnMs);
    }

    expect(visitors.entered.slice(8)).toEqual(['endpoint 1', 'endpoint 2', 'b2', 'c2']);
  });

  test('four hundred may wait, and others are rejected until there are fewer', async () => {
    for (let n = 0; n < 398; n += 1) await visitors.come(`patient ${n}`);
    await visitors.come('399', { waitMs: 500 });
    await visitors.come('400', { waitMs: 500, isAwaited: true });

    await visitors.come('401');
    await visitors.come('402', { isAwaited: true });
    const told = { ...visitors.refused };
    await visitors.come('other', { instance: 2 });
    await pass(host, 600);
    await visitors.come('403', { waitMs: 10 });
    await pass(host, 25);

    expect(told).toEqual({ 401: 'full', 402: 'full' });
    expect(visitors.refused).toEqual({ ...told, 399: 'late', 400: 'late', 403: 'late' });
    expect(visitors.entered).toEqual([...eight, 'other']);
  });
});
