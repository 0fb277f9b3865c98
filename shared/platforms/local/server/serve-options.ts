import { parseArgs } from 'node:util';
import type { Settings } from '../../../ports/ports.ts';
import { isLoopbackName } from '../../../values/source-address.ts';
import type { Level } from '../scripts/sandbox/level.ts';

/** Options of the command line. */
export interface ServeOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The data folder; undefined: in memory. */
  readonly folder: string | undefined;
  /** Undefined: by {@link defaultRegistration}. */
  readonly registration: Settings['registration'] | undefined;
  /** Path of a Unix socket that proxies connect to; undefined: none. */
  readonly proxySocket: string | undefined;
  /** Whether scripts have access to the network of this machine. */
  readonly scriptNetwork: boolean;
  /** The one sandbox level to use; undefined: the best that works. */
  readonly sandbox: Level | undefined;
  /** Whether scripts run where only Node's permission flags isolate them, although other machines reach the server. */
  readonly weakSandbox: boolean;
}

/** An error for an invalid command line; its message is one sentence. */
export class UsageError extends Error {}

/** The text of `--help`. */
export const usage = `Usage: npm start -- [options]

  --port PORT            port to listen on; 0 takes any free one (default 3000)
  --host HOST            address to listen on (default 127.0.0.1: this machine only)
  --data DIR             folder of all data, made when absent (default ./.groundwork)
  --memory               keep all data in memory; it is gone when the server ends
  --registration open|closed
                         whether anyone may create an account
                         (default: open to this machine, but not to pages of other
                         sites and through proxies, when only this machine can
                         connect and no proxy is set up; else closed)
  --proxy-socket PATH    also listen on a Unix socket, for a proxy that is believed where
                         requests come from (X-Forwarded-For)
  --no-script-network    scripts reach no network at all (needs bubblewrap or Landlock, so
                         Linux; or Node 26)
  --sandbox bubblewrap|landlock|flags
                         isolation of scripts; the server does not start where that does not
                         work (default: the best that works)
  --weak-sandbox         scripts run although other machines reach the server and only
                         Node's permission flags isolate them
  --help                 show this

Environment: GROUNDWORK_LOG (error, info, debug), GROUNDWORK_LOG_FORMAT (text, json),
GROUNDWORK_URL, GROUNDWORK_PROXIES, GROUNDWORK_PROXY_SECRET, GROUNDWORK_MAX_INSTANCES,
GROUNDWORK_MAX_CLASSES, GROUNDWORK_LOCATION, GROUNDWORK_PASSWORD_COST,
GROUNDWORK_INSTANCE_RATE, GROUNDWORK_POLL_SECONDS, GROUNDWORK_MAX_OBJECT_BYTES, GROUNDWORK_MAX_FILE_BYTES,
GROUNDWORK_MAX_TRACE_BYTES, GROUNDWORK_MAX_BACKUP_BYTES, GROUNDWORK_MEMORY_MB, GROUNDWORK_CACHE_MB; for log-ins by other services
GROUNDWORK_FACEBOOK_APP_ID, GROUNDWORK_FACEBOOK_APP_SECRET, GROUNDWORK_GOOGLE_CLIENT_ID,
GROUNDWORK_GITHUB_CLIENT_ID, GROUNDWORK_GITHUB_CLIENT_SECRET.
`;

/**
 * Reads the command line of the server.
 *
 * @param args without program and script
 * @returns the options, or `help` when help is requested
 * @throws UsageError for unknown options and invalid values
 */
export function parseServeOptions(args: readonly string[]): ServeOptions | 'help' {
  const { port, host, data, memory, registration, help, ...flags } = parse(args);
  if (help) return 'help';
  if (memory && data !== undefined) throw new UsageError('--data and --memory exclude each other');
  if (host === '') throw new UsageError('--host takes an address or a name');
  if (data === '') throw new UsageError('--data takes a folder');
  if (flags['proxy-socket'] === '') throw new UsageError('--proxy-socket takes a path');
  return {
    host,
    port: readPort(port),
    folder: memory ? undefined : (data ?? '.groundwork'),
    registration: readRegistration(registration),
    proxySocket: flags['proxy-socket'],
    scriptNetwork: !flags['no-script-network'],
    sandbox: readSandbox(flags.sandbox),
    weakSandbox: flags['weak-sandbox'],
  };
}

/** Returns the default registration: `local` if only this machine can send requests, else `closed`. */
export function defaultRegistration(
  host: string,
  isBehindProxies: boolean,
): Settings['registration'] {
  return isLoopbackName(host) && !isBehindProxies ? 'local' : 'closed';
}

/** Returns whether scripts may run where only Node's permission flags isolate them. */
export function weakSandboxOf(
  { host, weakSandbox }: Pick<ServeOptions, 'host' | 'weakSandbox'>,
  isBehindProxies: boolean,
): 'allowed' | 'refused' {
  return weakSandbox || (isLoopbackName(host) && !isBehindProxies) ? 'allowed' : 'refused';
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string' },
        memory: { type: 'boolean', default: false },
        registration: { type: 'string' },
        'proxy-socket': { type: 'string' },
        'no-script-network': { type: 'boolean', default: false },
        sandbox: { type: 'string' },
        'weak-sandbox': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    // The parser's errors describe the command line; their first sentence is enough.
    if (!(error instanceof TypeError)) throw error;
    const [sentence = ''] = error.message.split(/\.\s|\n/);
    throw new UsageError(sentence.replace(/^U/, 'u'));
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

function readRegistration(text: string | undefined): Settings['registration'] | undefined {
  switch (text) {
    case 'open':
    case 'closed':
    case undefined:
      return text;
    default:
      throw new UsageError(`--registration takes open or closed, not ${JSON.stringify(text)}`);
  }
}

function readSandbox(text: string | undefined): Level | undefined {
  switch (text) {
    case 'bubblewrap':
    case 'landlock':
    case 'flags':
    case undefined:
      return text;
    default:
      throw new UsageError(
        `--sandbox takes bubblewrap, landlock or flags, not ${JSON.stringify(text)}`,
      );
  }
}
