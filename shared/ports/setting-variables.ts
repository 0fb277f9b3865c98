import * as v from 'valibot';

/** Variables of a process's environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the environment of this process. */
export function processVariables(): Variables {
  // biome-ignore lint/style/noProcessEnv: the one reader of the environment
  return process.env;
}

/** A whole number within `min` and `max`, both inclusive. */
export const whole = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, `a whole number from ${min} to ${max}`),
    v.transform(Number),
    v.minValue(min, `at least ${min}`),
    v.maxValue(max, `at most ${max}`),
  );

/** A variable with a whole number within `min` and `max`, both inclusive. */
export const wholeNumber = (min: number, max: number, otherwise: number) =>
  v.optional(whole(min, max), String(otherwise));

/** A variable with one of some words. */
export const choice = <const Names extends readonly [string, ...string[]]>(
  names: Names,
  otherwise: Names[number],
) => v.optional(v.picklist(names, `one of ${names.join(', ')}`), otherwise);

/** A variable with a number of bytes; unlimited when absent. */
const byteLimit = v.optional(whole(0, Number.MAX_SAFE_INTEGER));

/** Settings of an operator of either platform; each has a default. */
export const settingVariables = {
  GROUNDWORK_LOG: choice(['error', 'info', 'debug'], 'info'),
  GROUNDWORK_MAX_INSTANCES: wholeNumber(1, 100_000, 16),
  GROUNDWORK_MAX_CLASSES: wholeNumber(1, 10_000, 100),
  GROUNDWORK_LOCATION: v.optional(v.string(), 'eu1'),
  GROUNDWORK_PASSWORD_COST: wholeNumber(10, 20, 15),
  GROUNDWORK_INSTANCE_RATE: v.optional(whole(60, 1_000_000)), // a batch has 50 requests
  GROUNDWORK_POLL_SECONDS: v.optional(whole(1, 300)), // a proxy in front may end requests earlier
  GROUNDWORK_MAX_OBJECT_BYTES: byteLimit,
  GROUNDWORK_MAX_FILE_BYTES: byteLimit,
  GROUNDWORK_MAX_TRACE_BYTES: byteLimit,
  GROUNDWORK_MAX_BACKUP_BYTES: byteLimit,
};

/** Converts the setting of polls to milliseconds. */
export function pollMsOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/**
 * Parses variables.
 *
 * @param Failure error to throw for an invalid one; its message names the variable and its valid values
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
