import { boxedNodeHosts } from './box-hosts.ts';
import { describeCases } from './cases/describe-cases.ts';
import { nodeHosts } from './hosts.ts';

describeCases('node', new Map([...nodeHosts, ...boxedNodeHosts]));
