import { describeCases } from './cases/describe-cases.ts';
import { pythonHosts } from './python-hosts.ts';

describeCases('python', pythonHosts);
