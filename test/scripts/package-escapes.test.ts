import { describeEscapes } from './describe-escapes.ts';
import { packagedHosts } from './packaged-hosts.ts';
import { pythonEscapes, toScript } from './python-escapes.ts';

/* A package of the operator's set makes the attempts, while it is imported: it gets no further than a script. */

const hosts = packagedHosts({ 'attempts.py': toScript(pythonEscapes) });
const importing = () => 'import builtins\nbuiltins.ARGS = ARGS\nimport attempts';

describeEscapes(
  { escapes: pythonEscapes, toScript: importing },
  [...hosts].filter(([name]) => name !== 'Pyodide'),
);
