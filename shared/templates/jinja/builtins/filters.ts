import { formatPattern } from '../operators.ts';
import { bind, type Filter } from '../parameters.ts';
import {
  createDict,
  display,
  elements,
  isDict,
  isTrue,
  numberOrUndefined,
  own,
  RenderError,
  toJson,
  typeName,
  Undefined,
  type Value,
} from '../values.ts';
import { attribute, listFilters } from './list-filters.ts';
import { escapeHtml, textFilters } from './text-filters.ts';

/** Checks whether a filter with this name exists. */
export function hasFilter(name: string): boolean {
  return Object.hasOwn(filters, name);
}

/** Applies a filter to the first argument. */
export function applyFilter(
  name: string,
  args: readonly Value[],
  named: Readonly<Record<string, Value>>,
): Value {
  const filter = own(filters, name);
  if (filter === undefined) throw new RenderError(`no filter named '${name}'`);
  const [value = null, ...others] = args;
  if (value instanceof Undefined && value.isUnsafe) throw value.undefinedError();
  return filter.run(value, bind(filter.parameters, others, named));
}

function plain(run: (value: Value) => Value): Filter {
  return { parameters: [], run };
}

const orDefault = (value: Value, fallback: Value) =>
  value instanceof Undefined ? fallback : value;

const defaultFilter: Filter = {
  parameters: ['default_value', 'boolean'],
  run: (value, { default_value: fallback = '', boolean = false }) =>
    isTrue(boolean) && !isTrue(value) ? fallback : orDefault(value, fallback),
};

const length = plain((value) =>
  isDict(value) ? Object.keys(value).length : elements(value).length,
);

const json: Filter = {
  parameters: ['indent'],
  run: (value, { indent }) =>
    toJson(value, indent === undefined ? undefined : Math.min(numberOrUndefined(indent) ?? 0, 10)),
};

/** The `tojson` filter of Jinja: JSON that is safe in HTML, also inside a script or an attribute. */
const pageJson: Filter = {
  parameters: json.parameters,
  run: (value, args) =>
    display(json.run(value, args)).replace(
      /[<>&']/g,
      (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
    ),
};

/** Truncates text that exceeds `length` by more than `leeway`, at a word boundary unless `killwords` is true. */
const truncate: Filter = {
  parameters: ['length', 'killwords', 'end', 'leeway'],
  run: (value, { length: maxLength = 255, killwords = false, end = '...', leeway = 5 }) => {
    const characters = [...display(value)];
    if (characters.length <= numeric(maxLength) + numeric(leeway)) return characters.join('');
    const kept = characters
      .slice(0, Math.max(0, numeric(maxLength) - display(end).length))
      .join('');
    const word = isTrue(killwords) ? -1 : kept.lastIndexOf(' ');
    return (word < 0 ? kept : kept.slice(0, word)) + display(end);
  },
};

function toNumber(read: (text: string) => number): Filter {
  return {
    parameters: ['default'],
    run: (value, { default: fallback = 0 }) => {
      const number =
        numberOrUndefined(value) ?? (typeof value === 'string' ? read(value) : Number.NaN);
      return Number.isNaN(number) ? fallback : number;
    },
  };
}

const rounding: Readonly<Record<string, (value: number) => number>> = {
  common: (value) => Math.sign(value) * Math.round(Math.abs(value)),
  ceil: Math.ceil,
  floor: Math.floor,
};

function numeric(value: Value): number {
  if (value instanceof Undefined) throw value.undefinedError();
  const number = numberOrUndefined(value);
  if (number === undefined) throw new RenderError(`must be real number, not ${typeName(value)}`);
  return number;
}

const int = toNumber((value) => Number(value.trim() === '' ? Number.NaN : value.trim()));

const filters: Readonly<Record<string, Filter>> = {
  ...listFilters,
  ...textFilters,
  abs: plain((value) => Math.abs(numeric(value))),
  ...{ default: defaultFilter, d: defaultFilter },
  filesizeformat: plain((value) => fileSize(numeric(value))),
  float: toNumber((value) => Number.parseFloat(value)),
  format: {
    parameters: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    run: (value, args) =>
      formatPattern(
        display(value),
        Object.values(args).filter((each) => each !== undefined),
      ),
  },
  int: {
    parameters: int.parameters,
    run: (value, args) => {
      const number = int.run(value, args);
      return typeof number === 'number' ? Math.trunc(number) : number;
    },
  },
  items: plain((value) => (isDict(value) ? Object.entries(value) : [])),
  ...{ length, count: length },
  map: {
    parameters: ['filter', 'attribute', 'default'],
    run: (value, { filter, attribute: path, default: fallback }) =>
      elements(value).map((item) => {
        if (filter !== undefined) return applyFilter(display(filter), [item], {});
        const found = attribute(item, path);
        return fallback === undefined ? found : orDefault(found, fallback);
      }),
  },
  pprint: json,
  round: {
    parameters: ['precision', 'method'],
    run: (value, { precision = 0, method = 'common' }) => {
      const round = own(rounding, display(method));
      if (round === undefined) throw new RenderError('method must be common, ceil or floor');
      const factor = 10 ** numeric(precision);
      return round(numeric(value) * factor) / factor;
    },
  },
  safe: plain((value) => value),
  string: plain(display),
  tojson: pageJson,
  truncate,
  urlencode: plain((value) =>
    isDict(value)
      ? Object.entries(value)
          .map(([key, each]) => `${encode(key)}=${encode(each)}`)
          .join('&')
      : encode(value),
  ),
  wordcount: plain((value) => display(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0),
  xmlattr: plain((value) => {
    const shown = Object.entries(isDict(value) ? value : createDict()).filter(
      ([, each]) => each !== null && !(each instanceof Undefined),
    );
    return shown.map(([key, each]) => ` ${key}="${escapeHtml(display(each))}"`).join('');
  }),
};

function encode(value: Value): string {
  return encodeURIComponent(display(value)).replaceAll('%2F', '/');
}

function fileSize(bytes: number): string {
  if (bytes === 1) return '1 Byte';
  if (bytes < 1000) return `${bytes} Bytes`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}
