import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Settings } from '../../../ports/ports.ts';
import {
  defaultOf,
  parseSettings,
  type SettingVariable,
  validSettings,
} from '../../../ports/setting-variables.ts';
import { isLoopbackName } from '../../../values/source-address.ts';
import { environmentVariables } from '../environment.ts';
import { optionSettings, type ServeOption } from '../settings.ts';

/** An error for an invalid command line; its message is one sentence. */
export class UsageError extends Error {}

const textColumn = 25;

/** The text of `--help`. */
export const serverUsage = `Usage: npm start -- [options]

${Object.entries<ServeOption>(optionSettings).map(describeOption).join('\n')}

${wrap(`Environment: ${environmentVariables.map(describeVariable).join(', ')}.`, 90, '\n')}
`;

function describeOption([name, option]: readonly [string, ServeOption]): string {
  const title = `  --${name} ${option.argument ?? ''}`.trimEnd();
  const otherwise = option.argument && (option.otherwise ?? defaultOf(option));
  const text = otherwise === undefined ? option.doc : `${option.doc} (default ${otherwise})`;
  const lineBreak = `\n${' '.repeat(textColumn)}`;
  const first = title.length < textColumn - 1 ? title.padEnd(textColumn) : title + lineBreak;
  return first + wrap(text, 90 - textColumn, lineBreak);
}

function describeVariable(setting: SettingVariable): string {
  const [, words] = /^one of (.*)$/.exec(validSettings(setting) ?? '') ?? [];
  return words === undefined ? setting.variable : `${setting.variable} (${words})`;
}

/** Breaks a text into lines of at most `columns`. */
function wrap(text: string, columns: number, lineBreak: string): string {
  const lines = text.match(new RegExp(`.{1,${columns}}(?: |$)`, 'g')) ?? [];
  return lines.map((line) => line.trimEnd()).join(lineBreak);
}

/** Options of the command line. */
type ServeOptions = Exclude<ReturnType<typeof parseServeOptions>, 'help'>;

/**
 * Reads the command line of the server.
 *
 * @param args without program and script
 * @returns the options, or `help` when help is requested
 * @throws UsageError for unknown options and invalid values
 */
export function parseServeOptions(args: readonly string[]) {
  const given = parse(args);
  if (given.help) return 'help';
  if (given.memory && given.data !== undefined) {
    throw new UsageError('--data and --memory exclude each other');
  }
  const read = parseSettings(
    optionSettings,
    (name) => given[name],
    (name) => `--${name}`,
    UsageError,
  );
  return {
    host: read.host,
    port: read.port,
    folder: read.memory ? undefined : (read.data ?? '.groundwork'),
    registration: read.registration,
    proxySocket: read['proxy-socket'],
    scriptNetwork: !read['no-script-network'],
    sandbox: read.sandbox,
    weakSandbox: read['weak-sandbox'],
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

/** Parses the command line without the values of options. */
function parse(args: readonly string[]): Readonly<Record<string, unknown>> {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    Object.entries<ServeOption>(optionSettings).map(([name, { argument }]) => [
      name,
      { type: argument === undefined ? 'boolean' : 'string' },
    ]),
  );
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    }).values;
  } catch (error) {
    // The parser's errors describe the command line; their first sentence is enough.
    if (!(error instanceof TypeError)) throw error;
    const [sentence = ''] = error.message.split(/\.\s|\n/);
    throw new UsageError(sentence.replace(/^U/, 'u'));
  }
}
