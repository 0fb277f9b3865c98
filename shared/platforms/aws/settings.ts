import * as v from 'valibot';
import {
  anyText,
  choice,
  orUndefined,
  type SettingGroup,
  wholeNumber,
} from '../../ports/setting-variables.ts';

const address = /^([^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)?$/;

/** Settings of an operator on AWS, in addition to those of each platform. */
export const awsSettings = {
  registration: {
    variable: 'GROUNDWORK_REGISTRATION',
    context: 'registration',
    value: choice(['closed', 'open'], 'closed'),
    doc: '`open`: anyone may create an account',
  },
  scriptMegabytes: {
    variable: 'GROUNDWORK_SCRIPT_MEMORY',
    context: 'scriptMemory',
    value: wholeNumber(256, 10_240, 1024),
    doc: "MB of each [script's function](../guides/deploying.md#scripts)",
  },
  pollSlots: {
    variable: 'GROUNDWORK_POLL_SLOTS',
    value: wholeNumber(1, 10_000, 100),
    doc: 'polls that wait at the same time in the deployment, before their waits get shorter; the stack sets it to `pollConcurrency`',
  },
  waitingRuns: {
    variable: 'GROUNDWORK_WAITING_RUNS',
    context: 'waitingRuns',
    value: wholeNumber(1, 400, 16),
    doc: 'runs of endpoints in one instance that may [wait for a slot](../guides/script-runs.md#many-runs-at-once) at once, each with a function',
  },
  mailFrom: {
    variable: 'GROUNDWORK_MAIL_FROM',
    context: 'mailFrom',
    value: v.pipe(
      v.optional(v.string(), ''),
      v.trim(),
      v.regex(address, 'an address, or a name and <an address>'),
      orUndefined,
    ),
    doc: 'sender of [mails](../guides/deploying.md#mails), `no-reply@example.com` or `"Us <no-reply@example.com>"`',
    otherwise: 'mails are lines of the log',
  },
} satisfies SettingGroup;

/** A variable with any text. */
export const given = v.pipe(v.optional(v.string(), ''), v.minLength(1, 'a value'));
const isSet = v.pipe(
  v.unknown(),
  v.transform((value) => value !== undefined),
);

/** Variables that the stack sets in its functions; a function has those that it needs. */
export const stackVariables = {
  table: { variable: 'GROUNDWORK_TABLE', value: given, doc: 'name of the table' },
  secret: {
    variable: 'GROUNDWORK_SECRET',
    value: given,
    doc: 'ARN of the secret that contains the master secrets',
  },
  bucket: { variable: 'GROUNDWORK_FILES', value: given, doc: 'bucket of files' },
  filesUrl: {
    variable: 'GROUNDWORK_FILES_URL',
    value: given,
    doc: 'address of public files, without a slash at the end',
  },
  fileOrigins: {
    variable: 'GROUNDWORK_FILE_ORIGINS',
    value: given,
    doc: 'origins of files and uploads, separated by spaces, for the console',
  },
  pushPrefix: {
    variable: 'GROUNDWORK_PUSH',
    value: given,
    doc: 'prefix of the names of push applications',
  },
  pushKey: {
    variable: 'GROUNDWORK_VAULT',
    value: anyText,
    doc: 'ARN of the key of KMS that encrypts push credentials',
    otherwise: 'a key derived from the master secret encrypts them',
  },
  apiUrl: {
    variable: 'GROUNDWORK_API_URL',
    value: given,
    doc: 'address of the interface, without a slash at the end',
  },
  scriptPrefix: {
    variable: 'GROUNDWORK_SCRIPTS',
    value: given,
    doc: 'prefix of the names of script functions',
  },
  scriptRole: {
    variable: 'GROUNDWORK_SCRIPT_ROLE',
    value: given,
    doc: 'ARN of the role that script functions share',
  },
  metrics: { variable: 'GROUNDWORK_METRICS', value: given, doc: 'namespace of metrics' },
  family: { variable: 'GROUNDWORK_FAMILY', value: given, doc: 'family of the function' },
  isByFamily: {
    variable: 'GROUNDWORK_FAMILY_METRICS',
    value: isSet,
    doc: 'set where requests have metrics by family too',
  },
  keepsRuns: {
    variable: 'GROUNDWORK_KEEPS_RUNS',
    value: isSet,
    doc: 'set where runs continue after a response: the function has time beyond that of a request',
  },
  proxySecret: {
    variable: 'GROUNDWORK_PROXY_SECRET',
    value: anyText,
    doc: 'ARN of the secret of the distribution in front of the gateway',
    otherwise: 'there is none',
  },
  wakeUps: {
    variable: 'GROUNDWORK_WAKE_UPS',
    value: given,
    doc: 'URL of the queue for wake-ups, for the background',
  },
} satisfies SettingGroup;

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
