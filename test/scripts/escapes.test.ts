import { describeEscapes } from './describe-escapes.ts';
import { escapes, toScript } from './escapes.ts';
import { nodeHosts } from './hosts.ts';

const bare = {
  program: process.execPath,
  option: '-e',
  start:
    "require('child_process').spawnSync(process.argv[1], process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit', 9] })",
  fileName: 'main.cjs',
  define: (json: string) => `globalThis.ARGS = ${json};`,
};

describeEscapes({ escapes, toScript, bare }, nodeHosts);
