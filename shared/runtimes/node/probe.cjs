'use strict';
/*
 * Tries accesses that must fail in a sandbox, like ../python/probe.py, in a process with the flags of a runner. Prints
 * those that succeed as JSON.
 *
 * Arguments: a host process id; the folder that a script may write to; `root` if this process is started as root.
 */
const fs = require('node:fs');
const net = require('node:net');
const { spawnSync } = require('node:child_process');
const { leaveRoot } = require('./leave-root.cjs');
const { lockDown } = require('./lockdown.cjs');
const { writeAll } = require('./write-all.cjs');

const [pid, temporary, user] = process.argv.splice(2);
const users = () => [process.getuid(), process.geteuid(), process.getgid(), process.getegid()];

if (user === 'root') leaveRoot();
const isRoot = process.platform !== 'win32' && users().includes(0);
fs.writeFileSync(`${temporary}/probe`, ''); // otherwise no script could run
const pipe = new net.Socket({ fd: 1, readable: false });
lockDown(pipe);

const attempts = {
  files: () => fs.readFileSync('/etc/passwd'),
  environments: () => fs.readFileSync(`/proc/${pid}/environ`),
  root: () => assert(isRoot),
  'kernel settings': () => fs.closeSync(fs.openSync('/proc/sys/fs/lease-break-time', 'r+')),
  'memory priority': () => writeBack('/proc/self/oom_score_adj'),
  signals: () => process.kill(Number(pid), 0),
  processes: () => assert(spawnSync(process.execPath, ['--version']).status === 0),
  'sockets of this machine': () => process.binding('pipe_wrap'),
};
const open = Object.keys(attempts).filter((name) => succeeds(attempts[name]));
writeAll(1, Buffer.from(JSON.stringify(open)));
process.reallyExit(0);

function succeeds(attempt) {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

function assert(holds) {
  if (!holds) throw new Error('held');
}

/** Writes what the file contains. */
function writeBack(path) {
  const file = fs.openSync(path, 'r+');
  const value = Buffer.alloc(16);
  fs.writeSync(file, value, 0, fs.readSync(file, value), 0);
  fs.closeSync(file);
}
