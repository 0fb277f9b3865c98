import { isJsonObject } from '../../values/json/json.ts';

/** Rule for a JSON value, as far as the content of a push needs it. */
export type Rule =
  | { readonly kind: 'string'; readonly choices?: readonly string[]; readonly maxLength?: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'array'; readonly items: Rule; readonly max?: number; readonly unique?: true }
  | ObjectRule
  | { readonly kind: 'any'; readonly of: readonly Rule[] };

/** Rule for an object. */
export interface ObjectRule {
  readonly kind: 'object';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Rule>>;
  /** Whether only the named properties are allowed. */
  readonly isClosed?: true;
  readonly maxProperties?: number;
}

/**
 * Returns the error in a value, in the wording of the interface; undefined: none
 * (docs/reference/push.md#content-errors).
 *
 * @param path of the value below the root, as in `aps->alert`; empty at the root
 */
export function findBroken(rule: Rule, value: unknown, path = ''): string | undefined {
  const wrong = complaintAt(path);
  const wrongType = () => wrong(`contains value of wrong type (expected: ${rule.kind}).`);
  switch (rule.kind) {
    case 'string':
      return typeof value === 'string' ? brokenText(rule, value, wrong) : wrongType();
    case 'boolean':
      return typeof value === 'boolean' ? undefined : wrongType();
    case 'integer':
      return Number.isInteger(value) ? brokenNumber(rule, Number(value), wrong) : wrongType();
    case 'array':
      return Array.isArray(value) ? brokenArray(rule, value, path, wrong) : wrongType();
    case 'object':
      return isJsonObject(value) ? brokenObject(rule, value, path, wrong) : wrongType();
    case 'any':
      return brokenAll(rule, value, path);
  }
}

function brokenAll(
  { of }: Extract<Rule, { kind: 'any' }>,
  value: unknown,
  path: string,
): string | undefined {
  const isFit = of.some((each) => findBroken(each, value, path) === undefined);
  return isFit ? undefined : complaintAt(path)("doesn't match any of possible values");
}

type Wrong = (text: string) => string;

function brokenText(
  { choices, maxLength = Number.POSITIVE_INFINITY }: Extract<Rule, { kind: 'string' }>,
  value: string,
  wrong: Wrong,
): string | undefined {
  const isFit = (choices === undefined || choices.includes(value)) && value.length <= maxLength;
  return isFit ? undefined : wrong('contains invalid value.');
}

function brokenNumber(
  {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
  }: Extract<Rule, { kind: 'integer' }>,
  value: number,
  wrong: Wrong,
): string | undefined {
  if (value > max) return wrong(`contains too high value (max: ${max}).`);
  return value < min ? wrong(`contains too low value (min: ${min}).`) : undefined;
}

function brokenArray(
  { items, max, unique }: Extract<Rule, { kind: 'array' }>,
  value: readonly unknown[],
  path: string,
  wrong: Wrong,
): string | undefined {
  if (max !== undefined && value.length > max) {
    return wrong(`contains too many items defined (max: ${max}).`);
  }
  for (const [at, item] of value.entries()) {
    const error = findBroken(items, item, below(path, String(at)));
    if (error !== undefined) return error;
  }
  const isRepeated = unique === true && new Set(value).size < value.length;
  return isRepeated ? wrong('contains non-unique values.') : undefined;
}

function brokenObject(
  { required = [], properties = {}, isClosed, maxProperties }: ObjectRule,
  value: Readonly<Record<string, unknown>>,
  path: string,
  wrong: Wrong,
): string | undefined {
  const names = Object.keys(value);
  if (maxProperties !== undefined && names.length > maxProperties) {
    return wrong(`contains too many properties defined (max: ${maxProperties}).`);
  }
  if (required.some((name) => !Object.hasOwn(value, name))) {
    return wrong('is missing one or all of required properties');
  }
  if (isClosed && names.some((name) => !Object.hasOwn(properties, name))) {
    return wrong('contains unexpected property.');
  }
  for (const [name, rule] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const error = findBroken(rule, value[name], below(path, name));
    if (error !== undefined) return error;
  }
  return undefined;
}

function complaintAt(path: string): Wrong {
  const what = path === '' ? 'Object' : `Element "${path}"`;
  return (text) => `${what} ${text}`;
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}->${name}`;
}
