import { describe, expect, it } from 'vitest';
import {
  changedNames,
  type OrderedChange,
  orderOf,
  triggersOf,
} from '../../shared/triggers/rules/signals.ts';

describe('the order of the changes of an object', () => {
  const change = (
    action: OrderedChange['action'],
    revision: number,
    isUnchanged = false,
  ): OrderedChange => ({ action, revision, isUnchanged });

  it('is that of its revisions, then updates that change nothing, at last its deletion', () => {
    const inOrder = [
      orderOf(change('create', 1), 'z'),
      orderOf(change('update', 1, true), 'a'),
      orderOf(change('update', 1, true), 'b'),
      orderOf(change('update', 2), 'a'),
      orderOf(change('update', 9), 'z'),
      orderOf(change('update', 10), 'a'),
      orderOf(change('update', 10, true), 'z'),
      orderOf(change('delete', 10), 'a'),
    ];

    expect(inOrder.toSorted()).toEqual(inOrder);
    expect(new Set(inOrder).size).toBe(inOrder.length);
  });
});

describe('triggers of an action', () => {
  const triggers = [
    { id: 1, signal: 'post_create' },
    { id: 2, signal: 'post_update' },
    { id: 3, signal: 'post_create' },
  ] as const;

  it.each([
    ['create', [1, 3]],
    ['update', [2]],
    ['delete', []],
  ] as const)('%s', (action, ids) => {
    expect(triggersOf(triggers, action)).toEqual(ids);
    expect(triggersOf(undefined, action)).toEqual([]);
  });
});

describe('names of changed fields', () => {
  it.each([
    ['of equal objects', { a: 1, b: [1] }, { a: 1, b: [1] }, []],
    ['of other values', { a: 1, b: [1] }, { a: 2, b: [1, 2] }, ['a', 'b']],
    ['of a value that was unset', { a: 1 }, { a: null }, ['a']],
    ['of a field that the class lost', { a: 1, b: 1 }, { a: 1 }, []],
    ['of a field that the class gained', { a: 1 }, { a: 1, b: 1 }, ['b']],
  ])('%s', (_, before, after, names) => {
    expect(changedNames(before, after)).toEqual(names);
  });
});
