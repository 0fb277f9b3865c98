import * as v from 'valibot';
import {
  anyText,
  choiceVariable,
  publicSetting,
  setting,
  wholeNumber,
} from '../../ports/setting-variables.ts';

/** Settings of an operator on AWS, in addition to those of each platform. */
export const awsSettings = {
  /** `open`: anyone may create an account. */
  registration: publicSetting(
    setting(
      'GROUNDWORK_REGISTRATION',
      choiceVariable(['closed', 'open'], 'closed'),
      'registration',
    ),
    'Whether anyone may create an account.',
  ),
  /** MB of each [script's function](../guides/deploying.md#scripts). */
  scriptMegabytes: publicSetting(
    setting('GROUNDWORK_SCRIPT_MEMORY', wholeNumber(256, 10_240, 1024), 'scriptMemory'),
    'MB of memory of each script.',
  ),
  /**
   * Polls that wait at the same time in the deployment, before their waits get shorter; the stack sets it to
   * `pollConcurrency`.
   */
  pollSlots: setting('GROUNDWORK_POLL_SLOTS', wholeNumber(1, 10_000, 100)),
  /**
   * Runs of endpoints in one instance that may [wait for a slot](../guides/script-runs.md#many-runs-at-once) at
   * once, each with a function.
   */
  waitingRuns: publicSetting(
    setting('GROUNDWORK_WAITING_RUNS', wholeNumber(1, 400, 16), 'waitingRuns'),
    'Runs of endpoints of one instance that may wait at once.',
  ),
};

/** A variable with any text. */
export const given = v.pipe(v.optional(v.string(), ''), v.minLength(1, 'a value'));
const isSet = v.pipe(
  v.unknown(),
  v.transform((value) => value !== undefined),
);

/** Variables that the stack sets in its functions; a function has those that it needs. */
export const stackVariables = {
  /** Name of the table. */
  table: setting('GROUNDWORK_TABLE', given),
  /** ARN of the secret that contains the master secrets. */
  secret: setting('GROUNDWORK_SECRET', given),
  /** Bucket of files. */
  bucket: setting('GROUNDWORK_FILES', given),
  /** Address of public files, without a slash at the end. */
  filesUrl: setting('GROUNDWORK_FILES_URL', given),
  /** Origins of files and uploads, separated by spaces, for the console. */
  fileOrigins: setting('GROUNDWORK_FILE_ORIGINS', given),
  /** Prefix of the names of push applications. */
  pushPrefix: setting('GROUNDWORK_PUSH', given),
  /**
   * ARN of the key of KMS that encrypts push credentials.
   * @defaultValue a key derived from the master secret encrypts them
   */
  pushKey: setting('GROUNDWORK_VAULT', anyText),
  /** Address of the interface, without a slash at the end. */
  apiUrl: setting('GROUNDWORK_API_URL', given),
  /** Prefix of the names of script functions. */
  scriptPrefix: setting('GROUNDWORK_SCRIPTS', given),
  /** ARN of the role that script functions share. */
  scriptRole: setting('GROUNDWORK_SCRIPT_ROLE', given),
  /** Namespace of metrics. */
  metrics: setting('GROUNDWORK_METRICS', given),
  /** Family of the function. */
  family: setting('GROUNDWORK_FAMILY', given),
  /** Set where requests have metrics by family too. */
  isByFamily: setting('GROUNDWORK_FAMILY_METRICS', isSet),
  /** Set where runs continue after a response: the function has time beyond that of a request. */
  keepsRuns: setting('GROUNDWORK_KEEPS_RUNS', isSet),
  /** ARN of the secret of the distribution in front of the gateway. @defaultValue there is none */
  proxySecret: setting('GROUNDWORK_PROXY_SECRET', anyText),
  /** Log groups of the functions that serve requests in instances, separated by spaces, for the request log. */
  logGroups: setting('GROUNDWORK_LOG_GROUPS', anyText),
  /** URL of the queue for wake-ups, for the background. */
  wakeUps: setting('GROUNDWORK_WAKE_UPS', given),
};

/** Returns variables of a function by their names; those that are false or undefined are not set. */
export function toVariables(
  values: Readonly<Partial<Record<keyof typeof stackVariables, string | boolean | undefined>>>,
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [name, { variable }] of Object.entries(stackVariables)) {
    const value = values[name as keyof typeof values];
    if (value !== undefined && value !== false) variables[variable] = String(value);
  }
  return variables;
}
