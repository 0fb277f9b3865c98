/*
 * Runs `serve.ts`.
 *
 * First it starts the launcher, the process that starts those for scripts: no file or socket is open yet that they
 * could inherit.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  bundlePackages,
  checkMachine,
  endWithVersion,
  importBundle,
  openConsole,
} from './bundle.mjs';

if (process.argv.includes('--version')) endWithVersion();
checkMachine();
const program = new URL('../shared/platforms/local/launcher/launcher.cjs', import.meta.url);
const launcher = spawn(process.execPath, [fileURLToPath(program)], {
  stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  env: {},
  detached: true, // the signals of a terminal are for the server
});
launcher.unref();
launcher.channel.unref();
launcher.stdin.unref();
await bundlePackages();
const { main } = await importBundle('serve');
await main(launcher, await openConsole());
