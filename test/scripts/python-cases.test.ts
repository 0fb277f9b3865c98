import { describeCases } from './cases/describe-cases.ts';
import { machineHosts, pyodideHosts } from './python-hosts.ts';

// Pyodide is tested in test/soak/pyodide-cases.test.ts, except where there is nothing else
describeCases('python', machineHosts.size > 0 ? machineHosts : pyodideHosts);
