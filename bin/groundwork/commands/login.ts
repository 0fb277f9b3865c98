import { join } from 'node:path';
import { processVariables } from '../../../shared/ports/setting-variables.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { isServerAddress } from '../../server-address.ts';
import { saveCredentials, savedAccount } from '../account/credentials.ts';
import { logIn } from '../account/log-in.ts';
import { type AddCommand, withAddress } from '../command.ts';
import { ignoreEnvFile, readEnvFile, writeEnvFile } from '../env-file.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, localUrl, passwordServerOf, variables } from '../settings.ts';
import type { Terminal } from '../terminal.ts';

interface LoginOptions extends ConnectionOptions {
  readonly email?: string;
  readonly password?: string;
  readonly save?: true;
}

/** Adds `login`: exchanges a password for an account key, and remembers the key. */
export const addLogin: AddCommand = (program, terminal) => {
  withAddress(program.command('login'))
    .description('log in, and save the account key')
    .option('--email <address>', 'the account; asked for if absent')
    .option('--password <text>', 'its password; asked for if absent')
    .option('--save', 'write the address and the key into .env, even if it has none')
    .addHelpText('after', '\nExample:\n  groundwork login --url https://api.example.com')
    .action((options: LoginOptions) => login(options, terminal()));
};

async function login(options: LoginOptions, out: Terminal): Promise<void> {
  const folder = projectFolder();
  const url = passwordServerOf(options, options.password === undefined, folder);
  const changes = changesOfEnv(folder, url, options.save === true);
  const email =
    options.email ?? (await out.ask(`E-mail for ${url}`, '--email', savedAccount(url)?.email));
  const password = options.password ?? (await out.askSecret(`Password for ${url}`, '--password'));
  const key = await logIn(url, { email, password });
  if (key === undefined) {
    throw new Error(`there is no account ${email} on ${url}: groundwork init registers one`);
  }
  const file = saveCredentials(url, { email, key });
  if (changes !== undefined) {
    ignoreEnvFile(folder);
    writeEnvFile(folder, { ...changes, [variables.key]: key });
  }
  if (processVariables()[variables.key]) {
    out.warn(`${variables.key} is set in the environment: commands use that key, not the new one`);
  }
  const isInEnv = changes !== undefined;
  if (!isInEnv && hasOtherKey(folder, url, key)) {
    out.warn(`${join(folder, '.env')} has another key: groundwork login --save replaces it`);
  }
  const others = isInEnv ? ` and in ${join(folder, '.env')}` : '';
  out.result({ url, email, file, env_written: isInEnv }, () => {
    return `Logged in to ${url} as ${email}; the key is in ${file}${others}`;
  });
}

/** Checks whether `.env` has another key for a server than the new one; commands use it first. */
function hasOtherKey(folder: string, url: string, key: string): boolean {
  const { [variables.url]: named, [variables.key]: known } = readEnvFile(folder);
  return known !== undefined && known !== key && isServerAddress(named || localUrl, url);
}

/**
 * Returns what is written into `.env` with the key, whose key commands use first; undefined when the file stays as it
 * is. Unless `isWanted`, only a key that an earlier log-in of this user saved is replaced: another one may be that of a
 * clone, whose `.env` git knows.
 *
 * @throws UsageError where it is wanted, and the file names another server
 */
function changesOfEnv(
  folder: string,
  url: string,
  isWanted: boolean,
): Readonly<Record<string, string>> | undefined {
  const { [variables.url]: named, [variables.key]: known } = readEnvFile(folder);
  const isSame = isServerAddress(named || localUrl, url);
  if (known && isSame && (isWanted || savedAccount(url)?.key === known)) return {};
  if (!isWanted) return undefined;
  if (named && !isSame) {
    throw new OperatorUsageError(
      `.env is for ${named}: connect the folder to ${url} with groundwork init --url ${url}, or leave --save out`,
    );
  }
  return { [variables.url]: url };
}
