import { spawn } from 'node:child_process';
import { consoleAddress, endpointAddress } from '../addresses.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { type ConnectionOptions, connectInstance, findInstance } from '../settings.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

/** Adds `open`: opens the console, or an endpoint, in a browser. */
export const addOpen: AddCommand = (program, terminal) => {
  withInstance(program.command('open'))
    .description('open the console at the instance, or an endpoint, in a browser')
    .argument('[endpoint]', 'the name of a script endpoint or data endpoint')
    .option('--print', 'print the address, and open nothing')
    .addHelpText('after', '\nExamples:\n  groundwork open\n  groundwork open hello --print')
    .action(
      async (
        endpoint: string | undefined,
        options: ConnectionOptions & { readonly print?: true },
      ) => {
        const out = terminal();
        const address =
          endpoint === undefined
            ? consoleAddress(findInstance(options))
            : await endpointAddress(connectInstance(options), endpoint);
        out.result({ address }, () => address);
        if (options.print || out.isJson) return;
        const opener = openers[process.platform] ?? 'xdg-open';
        const child = spawn(opener, [address], { stdio: 'ignore', detached: true });
        child.once('error', () => out.warn(`${opener} is missing: open the address in a browser`));
        child.unref();
      },
    );
};
