import { describeEscapes } from './describe-escapes.ts';
import { escapes, toScript } from './escapes.ts';
import { nodeHosts } from './hosts.ts';

/* A script that has loaded the old service's client can do no more than one without it. */

const withClient: typeof toScript = (attempts) =>
  `require('syncano')({ accountKey: 'none' });\n${toScript(attempts)}`;

describeEscapes({ escapes, toScript: withClient }, nodeHosts);
