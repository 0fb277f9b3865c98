import { describeEscapes } from './describe-escapes.ts';
import { pythonEscapes, toScript } from './python-escapes.ts';
import { machine, pythonHosts } from './python-hosts.ts';

const withProcesses = [...pythonHosts].filter(([name]) => name !== 'Pyodide');
const bare = machine && {
  program: machine.python.program,
  option: '-c',
  start: 'import subprocess, sys; subprocess.run(sys.argv[1:], close_fds=False)',
  fileName: 'main.py',
  define: (json: string) => `import json\nARGS = json.loads(${JSON.stringify(json)})`,
};

describeEscapes({ escapes: pythonEscapes, toScript, bare }, withProcesses);
