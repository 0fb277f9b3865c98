import { describeCases } from './cases/describe-cases.ts';
import { nodeHosts } from './hosts.ts';

describeCases('node', nodeHosts);
