import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { processVariables } from '../../shared/platform/setting-variables.ts';
import { at, type RequestPath } from '../../shared/values/text/request-path.ts';
import { openClient, type PathSend } from '../client.ts';
import { UsageError } from '../operator/terminal.ts';

/** Options of all commands that use a server. */
export interface ServerOptions {
  readonly url?: string;
  readonly instance?: string;
  readonly key?: string;
}

/** A server, and an account there. */
export interface Connection {
  /** Address without a slash at the end. */
  readonly url: string;
  /** Sends requests with the account's key. */
  readonly send: PathSend;
  /** Account key. */
  readonly key: string;
}

/** An instance on a server. */
export interface InstanceConnection extends Connection {
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

/**
 * Returns the address of the server: from options, the environment, the file `.env` of the folder, or the local one.
 *
 * @throws UsageError for an invalid address
 */
export function serverOf(options: ServerOptions, folder = '.'): string {
  const url = settingOf('url', options, folder) ?? localUrl;
  if (!/^https?:\/\/\S+$/.test(url)) throw new UsageError(`${url} is not the address of a server`);
  return url.replace(/\/+$/, '');
}

/**
 * Connects to the server with an account key: by options, the environment, the file `.env`, or the last `login` there.
 *
 * @throws UsageError without a key
 */
export function connect(options: ServerOptions, folder = '.'): Connection {
  const url = serverOf(options, folder);
  const key = settingOf('key', options, folder) ?? readCredentials()[url]?.key;
  if (key === undefined) {
    throw new UsageError(`there is no account key for ${url}: run groundwork login`);
  }
  return { url, key, send: openClient(url, key) };
}

/**
 * Connects to an instance: by options, the environment, or the file `.env`.
 *
 * @throws UsageError without a key or the name of an instance; PathError for a name that no path can have
 */
export function connectInstance(options: ServerOptions, folder = '.'): InstanceConnection {
  const instance = settingOf('instance', options, folder);
  if (instance === undefined) {
    throw new UsageError(`give --instance, or set ${variables.instance} (groundwork init does)`);
  }
  return { ...connect(options, folder), instance, base: at`/v1.1/instances/${instance}/` };
}

function settingOf(
  name: keyof typeof variables,
  options: ServerOptions,
  folder: string,
): string | undefined {
  const variable = variables[name];
  return (
    options[name] ?? (processVariables()[variable] || readEnvFile(folder)[variable]) ?? undefined
  );
}

/** Reads the file `.env` of a folder; without one, nothing is set. */
export function readEnvFile(folder: string): Record<string, string | undefined> {
  const path = join(folder, '.env');
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

/** Sets variables in the file `.env` of a folder, which only its owner may read; others stay as they are. */
export function writeEnvFile(folder: string, values: Readonly<Record<string, string>>): void {
  const path = join(folder, '.env');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const kept = lines.filter((line) => !Object.keys(values).some((name) => isOf(line, name)));
  const added = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  writePrivate(path, `${[...kept, ...added].join('\n')}\n`);
}

function isOf(line: string, name: string): boolean {
  return line.replace(/^export\s+/, '').startsWith(`${name}=`);
}

/** Account keys by server. */
type Credentials = Readonly<Record<string, { readonly email: string; readonly key: string }>>;

function credentialsPath(): string {
  const { XDG_CONFIG_HOME: folder } = processVariables();
  return join(folder || join(homedir(), '.config'), 'groundwork', 'credentials.json');
}

function readCredentials(): Credentials {
  const path = credentialsPath();
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Credentials) : {}; // as saved
}

/** Remembers the key of an account for its server. Returns the path of the file, which only its owner may read. */
export function saveCredentials(url: string, account: Credentials[string]): string {
  const path = credentialsPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivate(path, `${JSON.stringify({ ...readCredentials(), [url]: account }, undefined, 2)}\n`);
  return path;
}

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600); // also of one that existed
}
