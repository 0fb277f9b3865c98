import { boxedPythonHosts } from './box-hosts.ts';
import { describeCases } from './cases/describe-cases.ts';
import { machineHosts, pyodideHosts } from './python-hosts.ts';

// Pyodide is tested in test/soak/pyodide-cases.test.ts, except where there is nothing else
const hosts = new Map([...machineHosts, ...boxedPythonHosts]);
describeCases('python', hosts.size > 0 ? hosts : pyodideHosts);
