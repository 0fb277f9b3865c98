import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** Adds a command to the program. */
export type AddCommand = (program: Command, terminal: () => Terminal) => void;

/** Adds the option by which a command finds its server. */
export function withAddress(command: Command): Command {
  return command.option('--url <address>', 'the server (GROUNDWORK_URL, or http://127.0.0.1:3000)');
}

/** Adds the options by which a command finds its instance. */
export function withInstance(command: Command): Command {
  return withAddress(command)
    .option(
      '--key <key>',
      'the account key, with --url (GROUNDWORK_ACCOUNT_KEY, or the key of the last login)',
    )
    .option('--instance <name>', 'the instance (GROUNDWORK_INSTANCE)');
}
