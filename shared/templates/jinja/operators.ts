import {
  compare,
  display,
  isEqual,
  numberOrUndefined,
  own,
  RenderError,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

type Operator = (a: Value, b: Value) => Value;

const mod = (a: number, b: number) => a - b * Math.floor(a / b);

const numeric: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '//': (a, b) => Math.floor(a / b),
  '%': mod,
  '**': (a, b) => a ** b,
};

/**
 * Computes an arithmetic operator.
 *
 * @throws RenderError when the operator does not support the operands
 */
export function calculate(operator: string, a: Value, b: Value): Value {
  for (const value of [a, b]) if (value instanceof Undefined) throw value.undefinedError();
  const [first, second] = [numberOrUndefined(a), numberOrUndefined(b)];
  if (first !== undefined && second !== undefined) {
    if (second === 0 && /[/%]/.test(operator)) throw new RenderError('division by zero');
    return own(numeric, operator)?.(first, second) ?? null;
  }
  const result = own(sequences, operator)?.(a, b);
  if (result !== undefined) return result;
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw new RenderError(`unsupported operand type(s) for ${operator}: ${types}`);
}

const sequences: Readonly<Record<string, (a: Value, b: Value) => Value | undefined>> = {
  '+': (a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return a + b;
    return Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : undefined;
  },
  '*': (a, b) => {
    const times = numberOrUndefined(b) ?? numberOrUndefined(a);
    const sequence = typeof a === 'number' ? b : a;
    if (times === undefined || !Number.isInteger(times)) return undefined;
    if (typeof sequence === 'string')
      return repeat(sequence.length, times, (n) => sequence.repeat(n));
    if (!Array.isArray(sequence)) return undefined;
    return repeat(sequence.length, times, (n) => Array.from({ length: n }, () => sequence).flat());
  },
  '%': (a, b) => (typeof a === 'string' ? formatPattern(a, Array.isArray(b) ? b : [b]) : undefined),
};

const maxRepeated = 10_000_000; // elements or characters; a longer value does not fit into a response

function repeat<Result>(length: number, times: number, make: (n: number) => Result): Result {
  if (length * times > maxRepeated) throw new RenderError('the result is too long');
  return make(Math.max(times, 0));
}

/** Comparison functions by operator. */
export const comparisonOperators: Readonly<Record<string, Operator>> = {
  '==': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '<': (a, b) => compare(a, b) < 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>': (a, b) => compare(a, b) > 0,
  '>=': (a, b) => compare(a, b) >= 0,
};

const maxWidth = 1000;

/** Formats values with `%s`, `%d`, `%05.2f` and similar placeholders. */
export function formatPattern(text: string, values: readonly Value[]): string {
  let index = 0;
  return text.replace(
    /%(-?)(0?)(\d*)(?:\.(\d+))?([sdifxr%])/g,
    (_, left, zero, width, digits, kind) => {
      if (kind === '%') return '%';
      const value = values[index];
      index += 1;
      if (value === undefined) throw new RenderError('not enough arguments for format string');
      const shown = formatValue(value, kind, digits);
      const minLength = Math.min(Number(width || 0), maxWidth);
      return left
        ? shown.padEnd(minLength)
        : shown.padStart(minLength, zero && kind !== 's' ? '0' : ' ');
    },
  );
}

function formatValue(value: Value, kind: string, digits: string | undefined): string {
  if (kind === 's' || kind === 'r')
    return display(value).slice(0, digits ? Number(digits) : undefined);
  const number = numberOrUndefined(value);
  if (number === undefined) {
    throw new RenderError(`%${kind} format: a number is required, not ${typeName(value)}`);
  }
  if (kind === 'f') return number.toFixed(Math.min(Number(digits ?? 6), 20));
  return Math.trunc(number).toString(kind === 'x' ? 16 : 10);
}
