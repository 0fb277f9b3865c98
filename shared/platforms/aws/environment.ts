import { readSocial } from '../../accounts/social-variables.ts';
import {
  anyText,
  listPublic,
  processVariables,
  readVariables,
  type Variables,
} from '../../ports/setting-variables.ts';
import { commonSettings } from '../../ports/settings.ts';
import { awsSettings, given, stackVariables } from './settings.ts';

const operatorSettings = { ...commonSettings, ...awsSettings };
const { wakeUps, fileOrigins, ...familyVariables } = stackVariables;
const frontVariables = {
  logLevel: commonSettings.logLevel,
  metrics: stackVariables.metrics,
  family: stackVariables.family,
  isByFamily: stackVariables.isByFamily,
  proxySecret: stackVariables.proxySecret,
};

/** The environment of a deployed function. */
export type Environment = ReturnType<typeof readEnvironment>;

/**
 * Reads the location of a function's data, and the settings of its deployment; each setting has a default.
 *
 * @param variables those of the process when absent
 * @throws Error that names the variable and its valid values
 */
export function readEnvironment(variables: Variables = processVariables()) {
  const read = readVariables(familyVariables, variables, Error);
  const { bucket, filesUrl, pushPrefix, pushKey, scriptPrefix, scriptRole, ...others } = read;
  const { metrics, family, isByFamily, logGroups, ...locations } = others;
  return {
    ...locations,
    files: { bucket, address: filesUrl },
    push: { prefix: pushPrefix, key: pushKey },
    scripts: { prefix: scriptPrefix, role: scriptRole },
    metrics: { namespace: metrics, family, isByFamily },
    logGroups: logGroups?.split(' ') ?? [],
    social: readSocial(variables, Error),
    /** Host and port at which Lambda listens to extensions; undefined: the process does not run in Lambda. */
    runtimeApi: variables.AWS_LAMBDA_RUNTIME_API,
    publicSettings: listPublic(operatorSettings, variables),
    ...readSettings(variables),
  };
}

/**
 * Reads only the settings: the stack does so before it passes them to the functions.
 *
 * @throws Error that names the variable and its valid values
 */
export function readSettings(variables: Variables) {
  const read = readVariables(operatorSettings, variables, Error);
  const { logLevel, requestLog, mailFrom, pollSlots, scriptMegabytes, waitingRuns, ...settings } =
    read;
  return { logLevel, requestLog, mailFrom, pollSlots, scriptMegabytes, waitingRuns, settings };
}

/**
 * Reads the URL of the queue for wake-ups.
 *
 * @throws Error that names the missing variable
 */
export function readQueue(variables: Variables = processVariables()): string {
  return readVariables({ wakeUps }, variables, Error).wakeUps;
}

/**
 * Reads what every function has: the settings of its log, and the secret of the front door.
 *
 * @throws Error that names the missing variable
 */
export function readFrontEnvironment(variables: Variables = processVariables()) {
  const read = readVariables(frontVariables, variables, Error);
  const { logLevel, metrics: namespace, family, isByFamily, proxySecret } = read;
  return { logLevel, proxySecret, metrics: { namespace, family, isByFamily } };
}

/**
 * Reads the environment of the function for downloads.
 *
 * @throws Error that names the missing variable
 */
export function readDownloadEnvironment(variables: Variables = processVariables()) {
  return {
    ...readFrontEnvironment(variables),
    ...readVariables({ bucket: stackVariables.bucket }, variables, Error),
  };
}

/**
 * Reads the environment of the function that serves the console.
 *
 * @throws Error that names the missing variable
 */
export function readConsoleEnvironment(variables: Variables = processVariables()) {
  const read = readVariables({ fileOrigins }, variables, Error);
  return { ...readFrontEnvironment(variables), origins: read.fileOrigins.split(' ') };
}

const credentials = {
  accessKeyId: { variable: 'AWS_ACCESS_KEY_ID', value: given },
  secretAccessKey: { variable: 'AWS_SECRET_ACCESS_KEY', value: given },
  sessionToken: { variable: 'AWS_SESSION_TOKEN', value: anyText },
};

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
  const { sessionToken, ...keys } = readVariables(credentials, variables, Error);
  return { ...keys, ...(sessionToken !== undefined && { sessionToken }) };
}
