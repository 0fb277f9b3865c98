'use strict';
/*
 * A runner of Python scripts on machines without an isolated python3: Pyodide, in a Node process with the same
 * permission flags as for a Node script. It communicates with its supervisor like ../node/runner.cjs, but runs only one
 * script: a script can use Node through Pyodide, so the process cannot be trusted afterwards.
 *
 * Arguments: Pyodide's folder, a snapshot of its memory, the environment of the script as JSON; then, in any order,
 * `packages=` with the folder of the operator's packages, and `root` if this process is started as root.
 */
const { readFileSync } = require('node:fs');
const net = require('node:net');
const { leaveRoot } = require('../node/leave-root.cjs');
const { lockDown } = require('../node/lockdown.cjs');
const { writeAll } = require('../node/write-all.cjs');
const { loadSnapshot } = require('./load.cjs');

const control = 3;
const maxResponse = 4 * 1024 * 1024; // characters of JSON; longer responses are always too large
const readOnlyError = 69; // EROFS, in Pyodide's numbers
const writing = 3; // the bits of O_WRONLY and O_RDWR
const [folder, snapshot, variables, ...properties] = process.argv.splice(2);
const packages = properties.find((each) => each.startsWith('packages='))?.slice('packages='.length);

const prepare = `
import json, os, sys

def prepare():
    context = sys.modules.pop('context')
    os.environ.clear()
    os.environ.update(json.loads(variables))
    os.chdir(os.environ['PWD'])
    if 'random' in sys.modules:
        sys.modules['random'].seed() # it was seeded when the snapshot was made

    def run(line):
        inputs = json.loads(line)
        return json.dumps(context.Context().run(inputs['source'], inputs))
    return run
prepare()`;

const { stringify, parse } = JSON;
const { from } = Buffer;
const exit = process.reallyExit.bind(process);
const channel = new net.Socket({ fd: control, readable: true, writable: false });

void start();

async function start() {
  const pyodide = await loadSnapshot(folder, readFileSync(snapshot));
  pyodide.setStdout({ write: (bytes) => writeTo(1, bytes) });
  pyodide.setStderr({ write: (bytes) => writeTo(2, bytes) });
  pyodide.setStdin({ stdin: () => null });
  if (packages !== undefined) mountPackages(pyodide, packages);
  const run = pyodide.runPython(prepare, { globals: pyodide.toPy({ variables }) });
  if (properties.includes('root')) leaveRoot(); // the files above may be readable for root alone
  lockDown(channel);
  let line = '';
  channel.setEncoding('utf8').on('data', (text) => {
    line += text;
    if (text.endsWith('\n')) runLine(line, run);
  });
  channel.on('end', () => exit(0)); // the supervisor has ended
  send({ ready: true });
}

/** Shows the operator's packages to Python. Their files are read when a script imports them. */
function mountPackages({ FS, runPython }, root) {
  const { node_ops: nodes, stream_ops: streams } = FS.filesystems.NODEFS;
  const deny = () => {
    throw new FS.ErrnoError(readOnlyError); // Node's flags deny it too, by an error that Python takes for a success
  };
  for (const name of ['mknod', 'rename', 'unlink', 'rmdir', 'symlink', 'setattr'])
    nodes[name] = deny;
  const { open } = streams;
  streams.open = (stream) => ((stream.flags & writing) === 0 ? open(stream) : deny());
  FS.mkdir('/packages');
  FS.mount(FS.filesystems.NODEFS, { root }, '/packages');
  runPython("import sys; sys.path.append('/packages'); del sys");
}

function writeTo(descriptor, bytes) {
  writeAll(descriptor, bytes);
  return bytes.length;
}

/** Runs the script of `line` and reports its result. */
function runLine(line, run) {
  const { mark } = parse(line);
  const [exitCode, response] = outcomeOf(line, run);
  const report = { __proto__: null, mark, exitCode, isReusable: false };
  if (response?.length > maxResponse) report.isTooBig = true;
  else if (response) report.response = response;
  send(report);
}

/** Returns the exit code, and the custom response if one was set. */
function outcomeOf(line, run) {
  try {
    return parse(run(line));
  } catch (error) {
    if (typeof error?.status === 'number') return [error.status]; // os._exit
    writeAll(2, from(`${error}\n`)); // an error of the Python interpreter
    return [1];
  }
}

function send(message) {
  writeAll(control, from(`\n${stringify(message)}\n`)); // on a separate line, even after an incomplete line of a script
}
