import * as v from 'valibot';
import type { SocialConfiguration } from '../services/social.ts';
import { socialVariables } from '../services/social-variables.ts';
import type { LogLevel } from './log.ts';
import { StartError } from './start-error.ts';

/** What an operator of one machine may set in the environment. */
export interface Environment {
  readonly logLevel: LogLevel;
  /** Address by which others reach the server, without a slash at the end; undefined: the one it listens on. */
  readonly url: string | undefined;
  /** Instances that one account may own. */
  readonly maxInstances: number;
  /** Classes in one instance, `user_profile` counted. */
  readonly maxClasses: number;
  /** Label of the place where it runs. */
  readonly location: string;
  /** CPU cost of a password hash, as the power of two of scrypt's N. */
  readonly passwordCost: number;
  /** Calls in one instance that are let through in a second; undefined: as many as come. */
  readonly instanceRate: number | undefined;
  /** Ids and secrets at services whose log-ins are taken over. */
  readonly social: SocialConfiguration;
}

type Variables = Readonly<Record<string, string | undefined>>;

const whole = (min: number, max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, `a whole number from ${min} to ${max}`),
    v.transform(Number),
    v.minValue(min, `at least ${min}`),
    v.maxValue(max, `at most ${max}`),
  );

const wholeNumber = (min: number, max: number, otherwise: number) =>
  v.optional(whole(min, max), String(otherwise));

const levels = ['error', 'info', 'debug'] as const;
const schema = v.object({
  GROUNDWORK_LOG: v.optional(v.picklist(levels, `one of ${levels.join(', ')}`), 'info'),
  GROUNDWORK_URL: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => text.replace(/\/$/, '')),
      v.regex(/^(https?:\/\/[^\s/?#]+)?$/, 'an address such as https://api.example.com'),
    ),
    '',
  ),
  GROUNDWORK_MAX_INSTANCES: wholeNumber(1, 100_000, 16),
  GROUNDWORK_MAX_CLASSES: wholeNumber(1, 10_000, 100),
  GROUNDWORK_LOCATION: v.optional(v.string(), 'eu1'),
  GROUNDWORK_PASSWORD_COST: wholeNumber(10, 20, 15),
  GROUNDWORK_INSTANCE_RATE: v.optional(whole(60, 1_000_000)), // a batch has 50 calls
});

/**
 * Reads the settings of one machine from the environment; each has a default.
 *
 * @param variables those of the process when absent
 * @throws StartError that names the variable and what it takes
 */
export function readEnvironment(variables: Variables = processVariables()): Environment {
  const output = parse(schema, variables);
  return {
    logLevel: output.GROUNDWORK_LOG,
    url: output.GROUNDWORK_URL || undefined,
    maxInstances: output.GROUNDWORK_MAX_INSTANCES,
    maxClasses: output.GROUNDWORK_MAX_CLASSES,
    location: output.GROUNDWORK_LOCATION,
    passwordCost: output.GROUNDWORK_PASSWORD_COST,
    instanceRate: output.GROUNDWORK_INSTANCE_RATE,
    social: parse(socialVariables, variables),
  };
}

function parse<const Schema extends v.GenericSchema>(
  schema: Schema,
  variables: Variables,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, variables);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new StartError(`${v.getDotPath(issue)} takes ${issue.message}`);
}

function processVariables(): Variables {
  // biome-ignore lint/style/noProcessEnv: the one reader of the environment on this platform
  return process.env;
}
