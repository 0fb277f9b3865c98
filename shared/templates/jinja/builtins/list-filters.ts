import { member } from '../members.ts';
import { calculate } from '../operators.ts';
import type { Filter, NamedArguments } from '../parameters.ts';
import {
  compare,
  createGroup,
  display,
  elements,
  isDict,
  isEqual,
  isTrue,
  RenderError,
  Undefined,
  type Value,
} from '../values.ts';
import { applyTest, hasTest } from './tests.ts';
import { readSize } from './text-filters.ts';

function plain(run: (value: Value) => Value): Filter {
  return { parameters: [], run };
}

/** Reads an attribute by its path, as in `profile.city`; without a path it returns the item. */
export function attribute(item: Value, path: Value | undefined): Value {
  if (path === undefined || path === null) return item;
  if (typeof path === 'number') return member(item, path);
  let found = item;
  for (const name of display(path).split('.')) {
    found = member(found, /^\d+$/.test(name) ? Number(name) : name);
  }
  return found;
}

/** Returns the value to sort by: strings are compared in lower case unless `case_sensitive` is true. */
function sortKey(value: Value, { case_sensitive = false }: NamedArguments): Value {
  return typeof value === 'string' && !isTrue(case_sensitive) ? value.toLowerCase() : value;
}

function sortItems(items: readonly Value[], args: NamedArguments, path = args.attribute): Value[] {
  const keyed = items.map((item) => ({ item, key: sortKey(attribute(item, path), args) }));
  keyed.sort((a, b) => compare(a.key, b.key));
  const list = keyed.map(({ item }) => item);
  return isTrue(args.reverse ?? false) ? list.reverse() : list;
}

function extreme(isBetter: (order: number) => boolean): Filter {
  return {
    parameters: ['case_sensitive', 'attribute'],
    run: (value, args) => {
      const key = (item: Value) => sortKey(attribute(item, args.attribute), args);
      const [first, ...others] = elements(value);
      if (first === undefined) return new Undefined('No aggregated item, sequence was empty.');
      return others.reduce(
        (best, item) => (isBetter(compare(key(item), key(best))) ? item : best),
        first,
      );
    },
  };
}

/** Creates a filter that keeps or drops the items that pass a test. With an attribute, its value is tested. */
function selection(keepsMatches: boolean, testsAttribute: boolean): Filter {
  const test = ['test', 'a', 'b'];
  return {
    parameters: testsAttribute ? ['attribute', ...test] : test,
    run: (value, { attribute: path, test: name = 'true-like', a, b }) => {
      const args = [a, b].filter((each) => each !== undefined);
      const testName = display(name);
      if (name !== 'true-like' && !hasTest(testName)) {
        throw new RenderError(`no test named '${testName}'`);
      }
      return elements(value).filter((item) => {
        const tested = testsAttribute ? attribute(item, path) : item;
        const passes =
          name === 'true-like' ? isTrue(tested) : applyTest(testName, [tested, ...args]);
        return passes === keepsMatches;
      });
    },
  };
}

const reversed = plain((value) => {
  const items = [...elements(value)].reverse();
  return typeof value === 'string' ? items.join('') : items;
});

/** Filters for lists and dictionaries. */
export const listFilters: Readonly<Record<string, Filter>> = {
  batch: {
    parameters: ['linecount', 'fill_with'],
    run: (value, { linecount = 1, fill_with: fill }) => {
      const size = Math.max(readSize(linecount, 1) || 1, 1);
      const items = elements(value);
      const rows = Array.from({ length: Math.ceil(items.length / size) }, (_, row) =>
        items.slice(row * size, (row + 1) * size),
      );
      const last = rows.at(-1);
      while (fill !== undefined && last !== undefined && last.length < size) last.push(fill);
      return rows;
    },
  },
  dictsort: {
    parameters: ['case_sensitive', 'by', 'reverse'],
    run: (value, args) => {
      const pairs = isDict(value) ? Object.entries(value) : [];
      return sortItems(pairs, args, args.by === 'value' ? 1 : 0);
    },
  },
  first: plain(
    (value) => elements(value)[0] ?? new Undefined('No first item, sequence was empty.'),
  ),
  groupby: {
    parameters: ['attribute'],
    run: (value, args) => {
      const groups: { readonly key: Value; readonly items: Value[] }[] = [];
      for (const item of sortItems(elements(value), { ...args, case_sensitive: true })) {
        const key = attribute(item, args.attribute);
        const last = groups.at(-1);
        if (last !== undefined && isEqual(last.key, key)) last.items.push(item);
        else groups.push({ key, items: [item] });
      }
      return groups.map(({ key, items }) => createGroup(key, items));
    },
  },
  join: {
    parameters: ['d', 'attribute'],
    run: (value, { d = '', attribute: path }) =>
      elements(value)
        .map((item) => display(attribute(item, path)))
        .join(display(d)),
  },
  last: plain(
    (value) => elements(value).at(-1) ?? new Undefined('No last item, sequence was empty.'),
  ),
  list: plain((value) => [...elements(value)]),
  max: extreme((order) => order > 0),
  min: extreme((order) => order < 0),
  random: plain((value) => {
    const items = elements(value);
    return items[Math.floor(Math.random() * items.length)] ?? null;
  }),
  reject: selection(false, false),
  rejectattr: selection(false, true),
  reverse: reversed,
  select: selection(true, false),
  selectattr: selection(true, true),
  slice: {
    parameters: ['slices', 'fill_with'],
    run: (value, { slices = 1, fill_with: fill }) => {
      const items = elements(value);
      const count = Math.max(Math.trunc(readSize(slices, 1)) || 1, 1);
      const [size, remainder] = [Math.floor(items.length / count), items.length % count];
      return Array.from({ length: count }, (_, at) => {
        const from = at * size + Math.min(at, remainder);
        const row = items.slice(from, from + size + (at < remainder ? 1 : 0));
        return fill === undefined || at < remainder ? row : [...row, fill];
      });
    },
  },
  sort: {
    parameters: ['reverse', 'case_sensitive', 'attribute'],
    run: (value, args) => sortItems(elements(value), args),
  },
  sum: {
    parameters: ['attribute', 'start'],
    run: (value, { attribute: path, start = 0 }) =>
      elements(value).reduce((sum, item) => calculate('+', sum, attribute(item, path)), start),
  },
  unique: {
    parameters: ['case_sensitive', 'attribute'],
    run: (value, args) => {
      const seen = new Set<string>();
      return elements(value).filter((item) => {
        const key = JSON.stringify(sortKey(attribute(item, args.attribute), args));
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      });
    },
  },
};
