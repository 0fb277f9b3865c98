import { describe, expect, it } from 'vitest';
import { createLedger, type Shown } from './ledger.ts';

/** Writes that the city reports as lost or wrong. */

const first = { id: 1, n: 1 };
const second = { id: 2, n: 2 };

/** A ledger of two objects whose creation was acknowledged. */
function filled() {
  const ledger = createLedger();
  for (const { id, n } of [first, second]) ledger.begin({ kind: 'create', values: { n } })(id);
  return ledger;
}

describe('acknowledged writes', () => {
  it.each<[string, readonly Shown[], string | undefined]>([
    ['all exist', [first, second], undefined],
    ['exist with further fields', [{ ...first, m: 3 }, second], undefined],
    ['may not be lost', [first], 'object 2 is lost'],
    ['may not be undone', [first, { ...second, n: 1 }], 'object 2 is {"id":2,"n":1}'],
    ['are the only ones', [first, second, { id: 3, n: 3 }], 'object 3 is {"id":3,"n":3}'],
  ])('%s', (_, all, wrong) => {
    const told = filled().settle(all);

    if (wrong === undefined) expect(told).toBeUndefined();
    else expect(told).toContain(wrong);
  });
});

describe('a write without response', () => {
  it.each<[string, readonly Shown[]]>([
    ['a create may have happened', [first, second, { id: 3, n: 3 }]],
    ['an update may have happened', [{ id: 1, n: 9 }, second]],
    ['a delete may have happened', [first]],
    ['none may have happened', [first, second]],
  ])('%s', (_, all) => {
    const ledger = filled();
    ledger.begin({ kind: 'create', values: { n: 3 } });
    ledger.begin({ kind: 'update', id: 1, values: { n: 9 } });
    ledger.begin({ kind: 'delete', id: 2 });

    const told = ledger.settle(all);

    expect(told).toBeUndefined();
    expect(ledger.ids()).toEqual(all.map(({ id }) => id));
    expect(ledger.settle(all.map((each) => ({ ...each, n: 0 })))).toContain('is {');
  });
});
