import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReplacement } from '../../shared/platforms/local/server/replacement.ts';
import { freshMs } from '../../shared/values/bounds.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Connection {
  readonly name: string;
  readonly address: string;
  waitingSinceMs: number;
}

/** Opens connections, each at its address, one after the other. */
function open(...names: readonly string[]) {
  const replacement = createReplacement<Connection>();
  const all = names.map((name) => {
    const connection = { name, address: name.slice(0, 1), waitingSinceMs: 0 };
    replacement.accept(connection);
    replacement.waits(connection);
    return connection;
  });
  const named = (name: string) => {
    const found = all.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no connection ${name}`);
    return found;
  };
  return { replacement, named };
}

describe('the connection that makes room', () => {
  test('is the longest idle', () => {
    const { replacement, named } = open('a', 'b', 'c');
    replacement.works(named('a'));
    replacement.waits(named('a')); // after another request

    expect(replacement.choose()?.name).toBe('b');
  });

  test('is one of the address with the most', () => {
    const { replacement } = open('a1', 'b1', 'b2', 'c1');

    expect(replacement.choose()?.name).toBe('b1');
  });

  test('is no request that is being served', () => {
    const { replacement, named } = open('a', 'b');
    for (const name of ['a', 'b']) replacement.works(named(name));

    expect(replacement.choose()).toBeUndefined();
  });

  test('has a body with a key rather than one that was opened just now', () => {
    const { replacement, named } = open('a1', 'a2', 'b1');
    for (const name of ['a1', 'a2']) replacement.receives(named(name));

    const atOnce = replacement.choose()?.name;
    vi.advanceTimersByTime(freshMs + 1);
    const later = replacement.choose()?.name;

    expect([atOnce, later]).toEqual(['a1', 'b1']);
  });

  test('has no body with a key if its address has no other connection', () => {
    const { replacement, named } = open('a', 'b');
    replacement.receives(named('a'));
    replacement.receives(named('b'));

    expect(replacement.choose()).toBeUndefined();
  });

  test('is not one that was closed', () => {
    const { replacement, named } = open('a1', 'a2', 'b1');
    replacement.forget(named('a1'));

    expect(replacement.choose()?.name).toBe('a2');
  });
});
