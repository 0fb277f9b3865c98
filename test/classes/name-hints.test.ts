import * as v from 'valibot';
import { expect, test } from 'vitest';
import { nameHints, nameLengths } from '../../console/core/name-hints.ts';
import { className } from '../../shared/classes/rules/class-name.ts';
import { readSchema } from '../../shared/classes/rules/class-schema.ts';
import { instanceName } from '../../shared/instances/rules/instance-name.ts';
import { slug } from '../../shared/values/text/slug.ts';

const context = { current: [], classExists: () => false, ignoredTargets: new Set<string>() };
const accepts = {
  instance: (name: string) => v.safeParse(instanceName(), name).success,
  record: (name: string) => v.safeParse(slug(), name).success,
  class: (name: string) => v.safeParse(className(), name).success,
  field: (name: string) => readSchema([{ name, type: 'string' }], context).ok,
};

test.each(Object.keys(accepts) as (keyof typeof accepts)[])(
  'the hint for the name of an item (%s) has the lengths that the server accepts',
  (kind) => {
    const { minLength, maxLength } = nameLengths[kind];
    const lengths = [minLength - 1, minLength, maxLength, maxLength + 1];

    expect(lengths.map((length) => accepts[kind]('a'.repeat(length)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(nameHints[kind]).toContain(String(maxLength));
    if (minLength > 1) expect(nameHints[kind]).toContain(String(minLength));
  },
);

test.each([
  ['instance', ['shop-2', 'Shops'], ['2shops', 'shop_2', 'shop--2', 'shops-']],
  ['record', ['a-b_c', 'A'], ['1a', 'a b']],
  ['class', ['a_b', 'Book'], ['1a', 'a-b']],
  ['field', ['a_B'], ['_a', 'a-b', '1a']],
] as const)('what the hint for the name of an item (%s) says is accepted', (kind, good, bad) => {
  expect(good.map(accepts[kind])).toEqual(good.map(() => true));
  expect(bad.map(accepts[kind])).toEqual(bad.map(() => false));
});
