import { describeEscapes } from './describe-escapes.ts';
import { escapes } from './escapes.ts';
import { nodeHosts } from './hosts.ts';

describeEscapes(escapes, nodeHosts, {
  program: process.execPath,
  option: '-e',
  start:
    "require('child_process').spawnSync(process.argv[1], process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit', 9] })",
  fileName: 'main.cjs',
  define: (json) => `globalThis.ARGS = ${json};`,
});
