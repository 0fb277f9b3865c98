import { plain, type Rule } from './case.ts';

const mark = '0'.repeat(32);
const report = JSON.stringify({ mark, exitCode: 0, isReusable: true, response: '{}' });
const forged = JSON.stringify(report);

/** Scripts that write to the channel of their runner, or search for the mark of the run. */
export const forgeries: readonly Rule[] = [
  {
    name: 'a report of the script, without the mark, is ignored',
    node: `const fs = require('fs'); const line = '\\n' + ${forged} + '\\n';
      for (let fd = 3; fd < 40; fd++) { try { if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, line); } catch {} }
      setTimeout(() => { console.log('true end'); process.exit(3); }, 30);`,
    python: `import os, sys\nfor fd in range(3, 64):\n    try:\n        os.write(fd, b'\\n' + ${forged}.encode() + b'\\n')\n    except OSError:\n        pass\nprint('true end')\nsys.exit(3)`,
    status: 'failure',
    stdout: 'true end',
  },
  {
    name: 'invalid data before the report is ignored',
    node: "require('fs').writeSync(3, '{\"mark\": \\u0000 half a li'); setResponse(new HttpResponse(201));",
    response: { ...plain, status: 201 },
  },
  {
    name: 'too much data before the report ends the run',
    node: "const fs = require('fs'); const b = Buffer.alloc(65536, 'x'); for (;;) { try { fs.writeSync(3, b) } catch (e) { if (e.code !== 'EAGAIN') throw e } }",
    status: 'failure',
    stderr: 'stdout and/or stderr max size exceeded.',
  },
  {
    name: 'the mark cannot be found',
    times: 2,
    python:
      "import gc, re, sys\ndef texts():\n    frame = sys._getframe()\n    while frame:\n        yield from map(repr, frame.f_locals.values())\n        frame = frame.f_back\n    yield from map(repr, gc.get_objects())\nprint(sum(bool(re.search(r'\\b[0-9a-f]{32}\\b', each)) for each in texts() if 'main.py' not in each))",
    stdout: '0',
  },
  {
    name: 'an end mark in the output is plain text',
    inPyodide: true,
    node: `process.stdout.write('${mark}'); console.log('more')`,
    python: `print('${mark}', end='')\nprint('more')`,
    stdout: `${mark}more`,
  },
];
