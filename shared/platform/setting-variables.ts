import * as v from 'valibot';

/** Variables of a process's environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A whole number within `min` and `max`, both inclusive. */
export const whole = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, `a whole number from ${min} to ${max}`),
    v.transform(Number),
    v.minValue(min, `at least ${min}`),
    v.maxValue(max, `at most ${max}`),
  );

/** A variable that takes a whole number within `min` and `max`, both inclusive. */
export const wholeNumber = (min: number, max: number, otherwise: number) =>
  v.optional(whole(min, max), String(otherwise));

/** A variable that takes one of some words. */
export const choice = <const Names extends readonly [string, ...string[]]>(
  names: Names,
  otherwise: Names[number],
) => v.optional(v.picklist(names, `one of ${names.join(', ')}`), otherwise);

/** A variable that takes a number of bytes; without it there is no limit. */
const byteLimit = v.optional(whole(0, Number.MAX_SAFE_INTEGER));

/** What an operator of either platform sets in the environment; each has a default. */
export const settingVariables = {
  GROUNDWORK_LOG: choice(['error', 'info', 'debug'], 'info'),
  GROUNDWORK_MAX_INSTANCES: wholeNumber(1, 100_000, 16),
  GROUNDWORK_MAX_CLASSES: wholeNumber(1, 10_000, 100),
  GROUNDWORK_LOCATION: v.optional(v.string(), 'eu1'),
  GROUNDWORK_PASSWORD_COST: wholeNumber(10, 20, 15),
  GROUNDWORK_INSTANCE_RATE: v.optional(whole(60, 1_000_000)), // a batch has 50 calls
  GROUNDWORK_MAX_OBJECT_BYTES: byteLimit,
  GROUNDWORK_MAX_FILE_BYTES: byteLimit,
  GROUNDWORK_MAX_TRACE_BYTES: byteLimit,
};

/**
 * Reads variables.
 *
 * @param Failure what is thrown when one is not right; its message names the variable and what it takes
 */
export function parseVariables<const Schema extends v.GenericSchema>(
  schema: Schema,
  variables: Variables,
  Failure: new (message: string) => Error,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, variables);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Failure(`${v.getDotPath(issue)} takes ${issue.message}`);
}
