import * as v from 'valibot';
import type { SocialConfiguration } from '../../accounts/social.ts';
import { socialVariables } from '../../accounts/social-variables.ts';
import type { Settings } from '../../ports/ports.ts';
import {
  choice,
  parseVariables,
  pollMsOf,
  processVariables,
  settingVariables,
  type Variables,
  wholeNumber,
} from '../../ports/setting-variables.ts';
import type { LogLevel } from './log/log.ts';
import type { MetricsPlace } from './log/metrics.ts';

type LimitName = 'pollSlots' | 'waitingRuns' | 'scriptMegabytes';

/** The environment of a deployed function. */
export interface Environment {
  /** Name of the table. */
  readonly table: string;
  /** ARN of the secret that contains the master secrets. */
  readonly secret: string;
  /** Location of files: the bucket, and the address of its public files, without a slash at the end. */
  readonly files: { readonly bucket: string; readonly address: string };
  /**
   * Prefix of the names of push applications, and the ARN of the key of KMS that encrypts their credentials; undefined:
   * a key derived from the master secret does.
   */
  readonly push: { readonly prefix: string; readonly key: string | undefined };
  /** Address of the interface, without a slash at the end. */
  readonly apiUrl: string;
  /** Prefix of the names of script functions, and the ARN of the role that they share. */
  readonly scripts: { readonly prefix: string; readonly role: string };
  /** Memory of a script function. */
  readonly scriptMegabytes: number;
  readonly logLevel: LogLevel;
  readonly metrics: MetricsPlace;
  readonly settings: Settings;
  /** Polls that wait at the same time, before their waits get shorter. */
  readonly pollSlots: number;
  /** Sender of mails; undefined: mails are written into the log. */
  readonly mailFrom: string | undefined;
  /** Ids and secrets at services for social log-ins. */
  readonly social: SocialConfiguration;
  /** ARN of the secret of the distribution in front of the gateway; undefined: there is none. */
  readonly proxySecret: string | undefined;
  /** Host and port at which Lambda listens to extensions; undefined: the process does not run in Lambda. */
  readonly runtimeApi: string | undefined;
  /** Whether runs of the function continue after its responses: it then has time beyond that of a request. */
  readonly keepsRuns: boolean;
  /** Runs of an instance that may wait for a slot at once while a request waits for them. */
  readonly waitingRuns: number;
}

const address = /^([^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)?$/;
const settingsSchema = v.object({
  ...settingVariables,
  GROUNDWORK_REGISTRATION: choice(['closed', 'open'], 'closed'),
  GROUNDWORK_SCRIPT_MEMORY: wholeNumber(256, 10_240, 1024),
  GROUNDWORK_POLL_SLOTS: wholeNumber(1, 10_000, 100),
  GROUNDWORK_WAITING_RUNS: wholeNumber(1, 400, 16),
  GROUNDWORK_MAIL_FROM: v.optional(
    v.pipe(v.string(), v.trim(), v.regex(address, 'an address, or a name and <an address>')),
    '',
  ),
});

const given = v.pipe(v.optional(v.string(), ''), v.minLength(1, 'a value'));
const placesSchema = v.object({
  GROUNDWORK_TABLE: given,
  GROUNDWORK_SECRET: given,
  GROUNDWORK_FILES: given,
  GROUNDWORK_FILES_URL: given,
  GROUNDWORK_PUSH: given,
  GROUNDWORK_API_URL: given,
  GROUNDWORK_SCRIPTS: given,
  GROUNDWORK_SCRIPT_ROLE: given,
  GROUNDWORK_METRICS: given,
  GROUNDWORK_FAMILY: given,
});

/**
 * Reads the location of a function's data, and the settings of its deployment; each setting has a default.
 *
 * @param variables those of the process when absent
 * @throws Error that names the variable and its valid values
 */
export function readEnvironment(variables: Variables = processVariables()): Environment {
  const places = parseVariables(placesSchema, variables, Error);
  return {
    table: places.GROUNDWORK_TABLE,
    secret: places.GROUNDWORK_SECRET,
    files: { bucket: places.GROUNDWORK_FILES, address: places.GROUNDWORK_FILES_URL },
    push: { prefix: places.GROUNDWORK_PUSH, key: variables[vaultVariable] || undefined },
    apiUrl: places.GROUNDWORK_API_URL,
    scripts: { prefix: places.GROUNDWORK_SCRIPTS, role: places.GROUNDWORK_SCRIPT_ROLE },
    metrics: metricsPlace(places, variables),
    social: parseVariables(socialVariables, variables, Error),
    proxySecret: variables[proxySecretVariable] || undefined,
    runtimeApi: variables.AWS_LAMBDA_RUNTIME_API,
    keepsRuns: variables[keepsRunsVariable] !== undefined,
    ...readSettings(variables),
  };
}

/**
 * Reads only the settings: the stack does so before it passes them to the functions.
 *
 * @throws Error that names the variable and its valid values
 */
export function readSettings(
  variables: Variables,
): Pick<Environment, 'logLevel' | 'settings' | 'mailFrom' | LimitName> {
  const parsed = parseVariables(settingsSchema, variables, Error);
  return {
    logLevel: parsed.GROUNDWORK_LOG,
    mailFrom: parsed.GROUNDWORK_MAIL_FROM || undefined,
    pollSlots: parsed.GROUNDWORK_POLL_SLOTS,
    scriptMegabytes: parsed.GROUNDWORK_SCRIPT_MEMORY,
    waitingRuns: parsed.GROUNDWORK_WAITING_RUNS,
    settings: {
      registration: parsed.GROUNDWORK_REGISTRATION,
      maxInstances: parsed.GROUNDWORK_MAX_INSTANCES,
      maxClasses: parsed.GROUNDWORK_MAX_CLASSES,
      location: parsed.GROUNDWORK_LOCATION,
      passwordCost: parsed.GROUNDWORK_PASSWORD_COST,
      instanceRate: parsed.GROUNDWORK_INSTANCE_RATE,
      pollMs: pollMsOf(parsed.GROUNDWORK_POLL_SECONDS),
      maxObjectBytes: parsed.GROUNDWORK_MAX_OBJECT_BYTES,
      maxFileBytes: parsed.GROUNDWORK_MAX_FILE_BYTES,
      maxTraceBytes: parsed.GROUNDWORK_MAX_TRACE_BYTES,
      maxBackupBytes: parsed.GROUNDWORK_MAX_BACKUP_BYTES,
    },
  };
}

/** Variable that is set where requests have metrics by family too. */
export const familyMetricsVariable = 'GROUNDWORK_FAMILY_METRICS';

function metricsPlace(
  places: { readonly GROUNDWORK_METRICS: string; readonly GROUNDWORK_FAMILY: string },
  variables: Variables,
): MetricsPlace {
  return {
    namespace: places.GROUNDWORK_METRICS,
    family: places.GROUNDWORK_FAMILY,
    isByFamily: variables[familyMetricsVariable] !== undefined,
  };
}

/** Variable that is set in functions whose runs continue after a response. */
export const keepsRunsVariable = 'GROUNDWORK_KEEPS_RUNS';

/** Variable with the ARN of the key of push credentials, in a deployment that has one. */
export const vaultVariable = 'GROUNDWORK_VAULT';

/** Variable with the URL of the queue for wake-ups, which only the background function has. */
export const queueVariable = 'GROUNDWORK_WAKE_UPS';

/**
 * Reads the URL of the queue for wake-ups.
 *
 * @throws Error that names the missing variable
 */
export function readQueue(variables: Variables = processVariables()): string {
  return parseVariables(v.object({ [queueVariable]: given }), variables, Error)[queueVariable];
}

/** Variable with the ARN of the secret of the distribution in front of the gateway. */
export const proxySecretVariable = 'GROUNDWORK_PROXY_SECRET';

type FrontEnvironment = Pick<Environment, 'logLevel' | 'metrics' | 'proxySecret'>;

/**
 * Reads what every function has: the settings of its log, and the secret of the front door.
 *
 * @throws Error that names the missing variable
 */
export function readFrontEnvironment(variables: Variables = processVariables()): FrontEnvironment {
  const { GROUNDWORK_METRICS, GROUNDWORK_FAMILY } = placesSchema.entries;
  const needed = v.object({ GROUNDWORK_METRICS, GROUNDWORK_FAMILY });
  const places = parseVariables(needed, variables, Error);
  return {
    logLevel: readSettings(variables).logLevel,
    metrics: metricsPlace(places, variables),
    proxySecret: variables[proxySecretVariable] || undefined,
  };
}

/**
 * Reads the environment of the function for downloads.
 *
 * @throws Error that names the missing variable
 */
export function readDownloadEnvironment(
  variables: Variables = processVariables(),
): FrontEnvironment & { readonly bucket: string } {
  const { GROUNDWORK_FILES } = placesSchema.entries;
  const places = parseVariables(v.object({ GROUNDWORK_FILES }), variables, Error);
  return { ...readFrontEnvironment(variables), bucket: places.GROUNDWORK_FILES };
}

/** Variable with the origins of files and uploads, separated by spaces, which only the console has. */
export const fileOriginsVariable = 'GROUNDWORK_FILE_ORIGINS';

/**
 * Reads the environment of the function that serves the console.
 *
 * @throws Error that names the missing variable
 */
export function readConsoleEnvironment(
  variables: Variables = processVariables(),
): FrontEnvironment & { readonly origins: readonly string[] } {
  const places = parseVariables(v.object({ [fileOriginsVariable]: given }), variables, Error);
  return { ...readFrontEnvironment(variables), origins: places[fileOriginsVariable].split(' ') };
}

const credentialsSchema = v.object({
  AWS_ACCESS_KEY_ID: given,
  AWS_SECRET_ACCESS_KEY: given,
  AWS_SESSION_TOKEN: v.optional(v.string(), ''),
});

/**
 * Reads the credentials that Lambda sets for the lifetime of a function's process.
 *
 * @throws Error that names the missing variable
 */
export function readCredentials(variables: Variables = processVariables()): {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
} {
  const parsed = parseVariables(credentialsSchema, variables, Error);
  const token = parsed.AWS_SESSION_TOKEN;
  return {
    accessKeyId: parsed.AWS_ACCESS_KEY_ID,
    secretAccessKey: parsed.AWS_SECRET_ACCESS_KEY,
    ...(token === '' ? {} : { sessionToken: token }),
  };
}
