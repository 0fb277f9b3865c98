import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { openClient, type PathSend } from '../../shared/clients/client.ts';
import { processVariables } from '../../shared/ports/setting-variables.ts';
import { at, type RequestPath } from '../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../operator/terminal.ts';
import { isServerAddress, parseServerAddress } from '../server-address.ts';
import { openProjectFiles, textOfFile } from './project-files.ts';

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
export interface InstanceConnection extends AccountConnection {
  readonly instance: string;
  /** Path of the instance: `/v1.1/instances/<name>/`. */
  readonly base: RequestPath;
}

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
 * Returns the address of the server: from options, the environment, the file `.env` of the folder, or the local one.
 *
 * @throws UsageError for an invalid address
 */
export function serverOf(options: ConnectionOptions, folder = '.'): string {
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
  folder = '.',
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
export function connectToServer(options: ConnectionOptions, folder = '.'): AccountConnection {
  const { url, source } = addressOf(options, folder);
  const key = keyFor({ url, source }, options, folder) ?? savedKey(url);
  if (key === undefined) {
    throw new NoKey(`there is no account key for ${url}: run groundwork login`);
  }
  return { url, key, send: openClient(url, key) };
}

/** Returns the key that the first source with a key has for an address; undefined when a stored one is to be used. */
function keyFor(address: Address, options: ConnectionOptions, folder: string): string | undefined {
  const owner = sources.find((source) => settingOf(source, 'key', options, folder) !== undefined);
  if (owner === undefined) return undefined;
  const own = settingOf(owner, 'url', options, folder) ?? localUrl;
  if (isServerAddress(own, address.url)) return settingOf(owner, 'key', options, folder);
  if (sources.indexOf(owner) > sources.indexOf(address.source)) {
    if (savedKey(address.url) !== undefined) return undefined; // the key belongs to another address, and is not meant
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
 * Connects to an instance: by options, the environment, or the file `.env`.
 *
 * @throws UsageError without a key or the name of an instance; PathError for a name that no path can have
 */
export function connectInstance(options: ConnectionOptions, folder = '.'): InstanceConnection {
  const instance = sources
    .map((source) => settingOf(source, 'instance', options, folder))
    .find((name) => name !== undefined);
  if (instance === undefined) {
    throw new OperatorUsageError(
      `give --instance, or set ${variables.instance} (groundwork init does)`,
    );
  }
  return { ...connectToServer(options, folder), instance, base: at`/v1.1/instances/${instance}/` };
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

/** Reads the file `.env` of a folder; without one, nothing is set. */
export function readEnvFile(folder: string): Record<string, string | undefined> {
  return parseEnv(openProjectFiles(folder).readText('.env') ?? '');
}

/** Sets variables in the file `.env` of a folder, which only its owner may read; others stay as they are. */
export function writeEnvFile(folder: string, values: Readonly<Record<string, string>>): void {
  const files = openProjectFiles(folder);
  const lines = files.readText('.env')?.trimEnd().split('\n') ?? [];
  const kept = lines.filter((line) => !Object.keys(values).some((name) => isOf(line, name)));
  const added = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  files.write('.env', `${[...kept, ...added].join('\n')}\n`, { isPrivate: true });
}

function isOf(line: string, name: string): boolean {
  return line.replace(/^export\s+/, '').startsWith(`${name}=`);
}

/**
 * Returns a key that a server has sent, which becomes a line of `.env`: shells run that file.
 *
 * @throws Error for anything else
 */
export function receivedKey(value: unknown, url: string): string {
  if (typeof value === 'string' && /^[\w-]{1,200}$/.test(value)) return value;
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 100);
  throw new Error(`${url} has responded with ${shown}, which is not a key`);
}

/** Account keys by server. */
type Credentials = Readonly<Record<string, { readonly email: string; readonly key: string }>>;

function credentialsPath(): string {
  const { XDG_CONFIG_HOME: folder } = processVariables();
  return join(folder || join(homedir(), '.config'), 'groundwork', 'credentials.json');
}

function readCredentials(): Credentials {
  const path = credentialsPath();
  if (!existsSync(path)) return {};
  return JSON.parse(textOfFile(readFileSync(path), path)) as Credentials; // as saved
}

/** Returns the key of the last log-in at an address. */
function savedKey(url: string): string | undefined {
  const saved = Object.entries(readCredentials()).find(([each]) => isServerAddress(each, url));
  return saved?.[1].key;
}

/** Remembers the key of an account for its server. Returns the path of the file, which only its owner may read. */
export function saveCredentials(url: string, account: Credentials[string]): string {
  const path = credentialsPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ ...readCredentials(), [url]: account }, undefined, 2)}\n`;
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600); // also of one that existed
  return path;
}
