import { describe, expect, test } from 'vitest';
import { openPlaces } from '../../shared/local/scripts/places.ts';

const limits = { inAll: 10, inInstance: 2, waitingInAll: 100, waitingInInstance: 3 };

/** Places, and in which order names came to theirs. */
function open(given: Partial<typeof limits> = {}) {
  const places = openPlaces({ ...limits, ...given });
  const entered: string[] = [];
  const enter = async (name: string, { instance = 1, isAwaited = false, waitMs = 60_000 } = {}) => {
    const answer = await places.enter({ instance, isAwaited, waitMs });
    if (answer === 'taken') entered.push(name);
    return answer;
  };
  const leave = async (instance = 1) => {
    places.leave(instance);
    await new Promise(setImmediate);
  };
  return { enter, leave, entered };
}

describe('places', () => {
  test('an instance has so many, however many are free', async () => {
    const { enter, leave, entered } = open();
    for (const name of ['a', 'b', 'c']) void enter(name);
    await enter('other', { instance: 2 });

    const before = [...entered];
    await leave();

    expect(before).toEqual(['a', 'b', 'other']);
    expect(entered).toEqual(['a', 'b', 'other', 'c']);
  });

  test('who is awaited goes first, all others in their order', async () => {
    const { enter, leave, entered } = open({ inInstance: 1, waitingInInstance: 10 });
    await enter('first');
    for (const name of ['b', 'c']) void enter(name);
    for (const name of ['endpoint 1', 'endpoint 2']) void enter(name, { isAwaited: true });

    for (let n = 0; n < 4; n += 1) await leave();

    expect(entered).toEqual(['first', 'endpoint 1', 'endpoint 2', 'b', 'c']);
  });

  test('instances take turns', async () => {
    const { enter, leave, entered } = open({ inAll: 1, waitingInInstance: 10 });
    await enter('first');
    for (const name of ['a', 'b', 'c']) void enter(name);
    for (const name of ['x', 'y']) void enter(name, { instance: 2 });

    for (const instance of [1, 1, 2, 1, 2]) await leave(instance);

    expect(entered).toEqual(['first', 'a', 'x', 'b', 'y', 'c']);
  });

  test.each([
    ['an instance', { instance: 1 }, {}],
    ['all', { instance: 2 }, { inAll: 2, waitingInInstance: 9, waitingInAll: 3 }],
  ])('when too many wait in %s, nobody else may', async (_name, who, given) => {
    const { enter, leave } = open(given);
    for (const name of ['a', 'b', 'c', 'd', 'e']) void enter(name);

    const refused = await enter('f', who);
    await leave();
    const later = enter('g', { ...who, waitMs: 1 });

    expect([refused, await later]).toEqual(['full', 'late']);
  });

  test('who has waited too long has no turn', async () => {
    const { enter, leave, entered } = open({ inInstance: 1 });
    await enter('first');

    const late = await enter('late', { waitMs: 1 });
    void enter('next');
    await leave();

    expect(late).toBe('late');
    expect(entered).toEqual(['first', 'next']);
  });
});
