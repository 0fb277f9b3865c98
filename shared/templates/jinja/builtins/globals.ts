import {
  type Callable,
  createDict,
  isDict,
  Namespace,
  RenderError,
  type Value,
} from '../values.ts';

const maxRange = 100_000;

const range: Callable = (args) => {
  const [a = 0, b, step = 1] = args.map((each) => {
    if (typeof each === 'number' && Number.isInteger(each)) return each;
    throw new RenderError('range() integer end argument expected');
  });
  const [from, to] = b === undefined ? [0, a] : [a, b];
  if (step === 0) throw new RenderError('range() arg 3 must not be zero');
  const length = Math.max(Math.ceil((to - from) / step), 0);
  if (length > maxRange) {
    const limit = `MAX_RANGE (${maxRange})`;
    throw new RenderError(`Range too big. The sandbox blocks ranges larger than ${limit}.`);
  }
  return Array.from({ length }, (_, at) => from + at * step);
};

/** Returns the separator at every call except the first. */
const joiner: Callable = ([separator = ', ']) => {
  let isUsed = false;
  return () => {
    if (isUsed) return separator;
    isUsed = true;
    return '';
  };
};

const dict: Callable = ([from], named) => {
  const entries = from !== undefined && isDict(from) ? Object.entries(from) : [];
  return createDict([...entries, ...Object.entries(named)]);
};

/** Variables that are defined in every template. */
export const globals: Readonly<Record<string, Value>> = {
  range,
  dict,
  joiner,
  namespace: (_, named) => new Namespace(createDict(Object.entries(named))),
};
