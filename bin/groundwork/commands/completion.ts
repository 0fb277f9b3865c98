import { Argument } from 'commander';
import type { AddCommand } from '../command.ts';
import { completionsOf, shells } from '../completion.ts';

/** Adds `completion`: prints a script by which a shell completes commands and options. */
export const addCompletion: AddCommand = (program, terminal) => {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addHelpText('after', '\nExample:\n  source <(groundwork completion bash)')
    .action((shell: keyof typeof shells) => {
      const script = shells[shell](completionsOf(program));
      terminal().result({ script }, () => script);
    });
};
