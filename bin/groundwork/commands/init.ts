import { existsSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openClient, ResponseError } from '../../../shared/clients/client.ts';
import { weaknessOf } from '../../../shared/values/passwords/weak-passwords.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { createIfMissing } from '../account/create-instance.ts';
import { saveCredentials } from '../account/credentials.ts';
import { type AccountLogin, logIn, receivedKey } from '../account/log-in.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { ignoreEnvFile, writeEnvFile } from '../env-file.ts';
import { ExplainedError } from '../errors/describe-error.ts';
import { openProjectFiles } from '../project-files.ts';
import {
  apiKeyVariable,
  type ConnectionOptions,
  connectToServer,
  initialKey,
  NoKey,
  passwordServerOf,
  serverOf,
  variables,
} from '../settings.ts';
import type { Terminal } from '../terminal.ts';

interface InitOptions extends ConnectionOptions {
  readonly email?: string;
  readonly password?: string;
  readonly code?: string;
  readonly yes?: boolean;
  readonly example?: boolean;
}

/** Adds `init`: makes a folder a project, with an account, an instance and an API key on a server. */
export const addInit: AddCommand = (program, terminal) => {
  withInstance(program.command('init'))
    .description('connect a folder to an instance: create the account, the instance and .env')
    .argument('[folder]', 'the folder of the project', '.')
    .option('--email <address>', 'the account; registered if it does not exist')
    .option('--password <text>', 'its password; asked for if absent')
    .option('--code <code>', 'the set-up code or an invitation, if registration is closed')
    .option('--yes', 'register the account without asking')
    .option('--example', 'also create an example: a class, a script, and a query in TypeScript')
    .addHelpText('after', '\nExample:\n  groundwork init --instance library')
    .action((folder: string, options: InitOptions) => init(folder, options, terminal()));
};

async function init(folder: string, options: InitOptions, out: Terminal): Promise<void> {
  if (!existsSync(folder)) throw new OperatorUsageError(`there is no folder ${folder}`);
  const files = openProjectFiles(folder);
  const source = openProjectFiles(exampleFolder);
  files.stat('.gitignore'); // before anything is created: it may be a link
  const example = options.example ? source.list('.') : [];
  const parts = [...new Set(example.map((path) => path.split(sep)[0] ?? ''))];
  const existing = parts.find((name) => files.has(name));
  if (existing !== undefined) throw new OperatorUsageError(`--example: ${existing} exists already`);
  const url = serverOf(options, folder);
  const { key, send, isRegistered } = await account(folder, options, out);
  const instance = options.instance ?? (await out.ask('Name of the instance', '--instance'));
  const base = at`/v1.1/instances/${instance}/`;
  const isNew = await createIfMissing({ send, base, instance });
  const { body } = await send({
    path: below(base)`api_keys/`,
    body: { description: initialKey },
  });
  const apiKey = receivedKey(body.api_key, url);
  writeEnvFile(folder, {
    [variables.url]: url,
    [variables.instance]: instance,
    [variables.key]: key,
    [apiKeyVariable]: apiKey,
  });
  ignoreEnvFile(folder);
  for (const path of example) files.write(path, source.read(path) ?? '');
  const made = { registered: isRegistered, instance_created: isNew };
  out.result({ url, instance, api_key: apiKey, ...made }, () =>
    [
      `${isNew ? 'Created' : 'Found'} the instance ${instance} on ${url}.`,
      'Its address, your account key and a new API key are in .env, which git ignores.',
      ...(options.example ? [`The example is in ${parts.toSorted().join(', ')}.`] : []),
    ].join('\n'),
  );
}

/** Returns an account: the one of the folder or of the last log-in, or else one that logs in or is registered now. */
async function account(folder: string, options: InitOptions, out: Terminal) {
  if (options.email === undefined) {
    try {
      return { ...connectToServer(options, folder), isRegistered: false };
    } catch (error) {
      if (!(error instanceof NoKey)) throw error;
    }
  }
  const url = passwordServerOf(options, options.password === undefined, folder);
  const email = options.email ?? (await out.ask(`E-mail for ${url}`, '--email'));
  const password = options.password ?? (await out.askSecret(`Password for ${url}`, '--password'));
  const known = await logIn(url, { email, password });
  const key = known ?? (await register(url, { email, password }, options, out));
  saveCredentials(url, { email, key });
  return { key, send: openClient(url, key), isRegistered: known === undefined };
}

/** Registers an account, and returns its key. A person at a terminal is asked first: the address may be mistyped. */
async function register(
  url: string,
  { email, password }: AccountLogin,
  { code, yes }: InitOptions,
  out: Terminal,
): Promise<string> {
  const weakness = weaknessOf(password);
  if (weakness !== undefined) throw new OperatorUsageError(weakness);
  if (!yes && !(await out.agrees(`${email} has no account on ${url}. Register it?`))) {
    throw new Error('nothing was registered');
  }
  const body = { email, password, ...(code !== undefined && { invitation_key: code }) };
  const { body: made } = await openClient(url)({ path: '/v1.1/account/register/', body }).catch(
    (error) => {
      throw explainClosed(error, url);
    },
  );
  const key = receivedKey(made.account_key, url);
  out.say(`Registered ${email}`);
  return key;
}

/** Returns the error of a server without open registration with its remedy, and others as they are. */
function explainClosed(error: unknown, url: string): unknown {
  if (!(error instanceof ResponseError && error.response.code === 'registration_closed'))
    return error;
  const text = `registration is closed on ${url}: give --code with an invitation, or with the set-up code that the server prints at its start`;
  return new ExplainedError(text, { cause: error });
}

const exampleFolder = fileURLToPath(new URL('../example/', import.meta.url));
