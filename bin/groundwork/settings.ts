import { openClient, type PathSend } from '../../shared/clients/client.ts';
import { processVariables } from '../../shared/ports/setting-variables.ts';
import { at, type RequestPath } from '../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../operator/terminal.ts';
import { isServerAddress, parseServerAddress } from '../server-address.ts';
import { savedAccount } from './account/credentials.ts';
import { readEnvFile } from './env-file.ts';
import { explainInstance, explainKey } from './errors/explain-send.ts';
import { projectFolder } from './project-folder.ts';

/** Options of all commands that use a server. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly instance?: string;
  readonly key?: string;
}

/** A server, and an account there. */
export interface AccountConnection {
  /** Address without a slash at the end. */
  readonly url: string;
  /** Sends requests with the account's key. */
  readonly send: PathSend;
  /** Account key. */
  readonly key: string;
}

/** An instance on a server. */
export interface InstancePlace extends Pick<AccountConnection, 'url'> {
  readonly instance: string;
  /** Path of the instance: `/v1.1/instances/<name>/`. */
  readonly base: RequestPath;
}

/** An instance, and an account that may use it. */
export interface InstanceConnection extends AccountConnection, InstancePlace {}

/** Names of the variables of the environment and of the file `.env`. */
export const variables = {
  url: 'GROUNDWORK_URL',
  instance: 'GROUNDWORK_INSTANCE',
  key: 'GROUNDWORK_ACCOUNT_KEY',
} as const;

/** Name of the variable in the file `.env` with an API key for the apps of the project. */
export const apiKeyVariable = 'GROUNDWORK_API_KEY';
/** Description of the API key that `groundwork init` creates. */
export const initialKey = 'groundwork init';

/** The address of `npm start`. */
export const localUrl = 'http://127.0.0.1:3000';

/** No source has an account key for a server. */
export class NoKey extends OperatorUsageError {}

/** Where a setting can come from, the first one first. */
const sources = ['option', 'environment', 'file', 'default'] as const;
type Source = (typeof sources)[number];

/** The address of a server, and where it comes from. */
interface Address {
  readonly url: string;
  readonly source: Source;
}

/**
 * Returns the address of the server: from options, the environment, the file `.env` of the project, or the local one.
 *
 * @throws UsageError for an invalid address
 */
export function serverOf(options: ConnectionOptions, folder = projectFolder()): string {
  return addressOf(options, folder).url;
}

/**
 * Returns the address of the server to which a password is sent.
 *
 * @param isShown whether a person sees the address before the password is typed: otherwise it is not that of `.env`,
 *   which is another person's in a project that was cloned
 * @throws UsageError for an invalid address, or that of `.env`
 */
export function passwordServerOf(
  options: ConnectionOptions,
  isShown: boolean,
  folder = projectFolder(),
): string {
  const { url, source } = addressOf(options, folder);
  if (source === 'file' && !isShown) {
    throw new OperatorUsageError(
      `the address ${url} is from .env: give --url ${url} to send a password there`,
    );
  }
  return url;
}

function addressOf(options: ConnectionOptions, folder: string): Address {
  const found = sources.map((source) => ({
    source,
    url: settingOf(source, 'url', options, folder),
  }));
  const { source, url } = found.find((each) => each.url !== undefined) ?? localServer;
  return { source, url: parseServerAddress(url ?? localUrl) };
}

const localServer = { source: 'default', url: localUrl } as const;

/**
 * Connects to the server with an account key. A key is used with the address of its own source only: otherwise `.env`
 * of a project that was cloned could have the key of the environment sent to its author. Without a key there, it is
 * that of the last `login` at the address.
 *
 * @throws NoKey; UsageError for a key of another source than the address
 */
export function connectToServer(
  options: ConnectionOptions,
  folder = projectFolder(),
): AccountConnection {
  const { url, source } = addressOf(options, folder);
  const owner = ownerFor({ url, source }, options, folder);
  const key =
    owner === undefined ? savedAccount(url)?.key : settingOf(owner, 'key', options, folder);
  if (key === undefined) {
    throw new NoKey(`there is no account key for ${url}: run ${logInAt(url, source)}`);
  }
  const remedy = remedies[owner ?? 'default'](logInAt(url, source));
  return { url, key, send: explainKey(openClient(url, key), remedy) };
}

/** Returns the command that logs in at an address; one that no command finds by itself is named. */
function logInAt(url: string, source: Source): string {
  return source === 'option' ? `groundwork login --url ${url}` : 'groundwork login';
}

/** What to do about a key that is not valid, by where it comes from: a stored one has no source. */
const remedies: Readonly<Record<Source, (logIn: string) => string>> = {
  option: (logIn) => `the key of --key is not valid: leave it out, and run ${logIn}`,
  environment: () =>
    `the key in ${variables.key} of the environment is not valid any more: set the current one, or unset it and run groundwork login`,
  file: (logIn) => `the key in .env is not valid any more: run ${logIn} --save`,
  default: (logIn) => `the key of the last login is not valid any more: run ${logIn}`,
};

/** Returns the first source with a key, which is for an address; undefined when a stored one is to be used. */
function ownerFor(
  address: Address,
  options: ConnectionOptions,
  folder: string,
): Source | undefined {
  const owner = sources.find((source) => settingOf(source, 'key', options, folder) !== undefined);
  if (owner === undefined) return undefined;
  const own = settingOf(owner, 'url', options, folder) ?? localUrl;
  if (isServerAddress(own, address.url)) return owner;
  if (sources.indexOf(owner) > sources.indexOf(address.source)) {
    if (savedAccount(address.url) !== undefined) return undefined; // the key belongs to another address, and is not meant
  }
  throw new OperatorUsageError(differingSources(owner, address));
}

const keyNames: Readonly<Record<Source, string>> = {
  option: '--key is given',
  environment: `${variables.key} is set in the environment`,
  file: `${variables.key} is set in .env`,
  default: '',
};

const addressNames: Readonly<Record<Source, string>> = {
  option: 'of --url',
  environment: 'from the environment',
  file: 'from .env',
  default: 'the one of this machine',
};

const urlNames: Readonly<Record<Source, string>> = {
  option: 'give --url',
  environment: `set ${variables.url} in the environment`,
  file: `set ${variables.url} in .env`,
  default: '',
};

function differingSources(owner: Source, { url, source }: Address): string {
  return `${keyNames[owner]}, but the address ${url} is ${addressNames[source]}: ${urlNames[owner]} as well, or run groundwork login --url ${url} without the key`;
}

/**
 * Finds the instance that options, the environment, or the file `.env` of the project name.
 *
 * @throws UsageError without the name of an instance; PathError for a name that no path can have
 */
export function findInstance(options: ConnectionOptions, folder = projectFolder()): InstancePlace {
  const instance = sources
    .map((source) => settingOf(source, 'instance', options, folder))
    .find((name) => name !== undefined);
  if (instance === undefined) {
    throw new OperatorUsageError(
      'no instance is named: connect this folder to one with groundwork init, or give --instance',
    );
  }
  return { url: serverOf(options, folder), instance, base: at`/v1.1/instances/${instance}/` };
}

/**
 * Connects to an instance.
 *
 * @param creator what creates the instance, for the error where it does not exist
 * @throws UsageError without a key or the name of an instance; PathError for a name that no path can have
 */
export function connectInstance(
  options: ConnectionOptions,
  folder = projectFolder(),
  creator?: string,
): InstanceConnection {
  const { instance, base } = findInstance(options, folder);
  const account = connectToServer(options, folder);
  const isSafe = /^[\w-]+$/.test(instance); // to be pasted into a shell
  const remedy = `${creator ?? `groundwork init${isSafe ? ` --instance ${instance}` : ''}`} creates it`;
  const missing = `there is no instance ${instance} on ${account.url}: ${remedy}`;
  return { ...account, send: explainInstance(account.send, base, missing), instance, base };
}

/** Returns what one source has for a setting. */
function settingOf(
  source: Source,
  name: keyof typeof variables,
  options: ConnectionOptions,
  folder: string,
): string | undefined {
  switch (source) {
    case 'option':
      return options[name];
    case 'environment':
      return processVariables()[variables[name]] || undefined;
    case 'file':
      return readEnvFile(folder)[variables[name]] || undefined;
    case 'default':
      return undefined;
  }
}
