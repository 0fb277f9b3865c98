import { describeCases } from '../scripts/cases/describe-cases.ts';
import { pyodideHosts } from '../scripts/python-hosts.ts';

// each run starts a process, which takes most of a second
describeCases('python', pyodideHosts);
