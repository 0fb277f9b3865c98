import { type AddCommand, withServer } from '../command.ts';
import { saveCredentials } from '../credentials.ts';
import { logIn } from '../log-in.ts';
import { type ConnectionOptions, passwordServerOf } from '../settings.ts';

interface LoginOptions extends ConnectionOptions {
  readonly email?: string;
  readonly password?: string;
}

/** Adds `login`: exchanges a password for an account key, and remembers the key. */
export const addLogin: AddCommand = (program, terminal) => {
  withServer(program.command('login'))
    .description('log in, and remember the account key for this server')
    .option('--email <address>', 'the account; asked for otherwise')
    .option('--password <text>', 'its password; asked for otherwise')
    .addHelpText('after', '\nExample:\n  groundwork login --url https://api.example.com')
    .action(async (options: LoginOptions) => {
      const out = terminal();
      const url = passwordServerOf(options, options.password === undefined);
      const email = options.email ?? (await out.ask(`E-mail for ${url}`, '--email'));
      const password =
        options.password ?? (await out.askSecret(`Password for ${url}`, '--password'));
      const key = await logIn(url, { email, password });
      if (key === undefined) {
        throw new Error(`there is no account ${email} on ${url}: groundwork init registers one`);
      }
      const file = saveCredentials(url, { email, key });
      out.result(
        { url, email, file },
        () => `Logged in to ${url} as ${email}; the key is in ${file}`,
      );
    });
};
