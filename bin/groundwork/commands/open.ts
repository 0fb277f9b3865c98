import { spawn } from 'node:child_process';
import { type AddCommand, withInstance } from '../command.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'open',
  win32: 'explorer',
};

/** Adds `open`: opens the page of the instance in a browser. */
export const addOpen: AddCommand = (program, terminal) => {
  withInstance(program.command('open'))
    .description('open the page of the instance in a browser')
    .option('--print', 'only print its address')
    .addHelpText('after', '\nExample:\n  groundwork open --print')
    .action((options: ConnectionOptions & { readonly print?: true }) => {
      const out = terminal();
      const { url, base } = connectInstance(options);
      const address = url + base;
      out.result({ address }, () => address);
      if (options.print || out.isJson) return;
      const opener = openers[process.platform] ?? 'xdg-open';
      const child = spawn(opener, [address], { stdio: 'ignore', detached: true });
      child.once('error', () => out.warn(`${opener} is missing: open the address in a browser`));
      child.unref();
    });
};
