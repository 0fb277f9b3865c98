import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** Adds a command to the program. */
export type AddCommand = (program: Command, terminal: () => Terminal) => void;

/** Adds the options by which a command finds its server. */
export function withServer(command: Command): Command {
  return command
    .option('--url <address>', 'the server (GROUNDWORK_URL, or http://127.0.0.1:3000)')
    .option(
      '--key <key>',
      'an account key, with --url (GROUNDWORK_ACCOUNT_KEY, or that of the last login)',
    );
}

/** Adds the options by which a command finds its instance. */
export function withInstance(command: Command): Command {
  return withServer(command).option('--instance <name>', 'the instance (GROUNDWORK_INSTANCE)');
}
