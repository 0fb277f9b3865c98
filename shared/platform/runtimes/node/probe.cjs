'use strict';
/*
 * Tries accesses that must fail in a sandbox, like ../python/probe.py, in a process with the flags of a runner. Prints
 * those that succeed as JSON.
 *
 * Arguments: a host process id, and `root` if this process is started as root.
 */
const { closeSync, openSync, readFileSync, readSync, writeSync } = require('node:fs');
const net = require('node:net');
const { spawnSync } = require('node:child_process');
const { leaveRoot } = require('./leave-root.cjs');
const { lockDown } = require('./lockdown.cjs');
const { writeAll } = require('./write-all.cjs');

const [pid, user] = process.argv.splice(2);
const users = () => [process.getuid(), process.geteuid(), process.getgid(), process.getegid()];

if (user === 'root') leaveRoot();
const isRoot = process.platform !== 'win32' && users().includes(0);
const pipe = new net.Socket({ fd: 1, readable: false });
lockDown(pipe);

const attempts = {
  files: () => readFileSync('/etc/passwd'),
  environments: () => readFileSync(`/proc/${pid}/environ`),
  root: () => assert(isRoot),
  'kernel settings': () => closeSync(openSync('/proc/sys/fs/lease-break-time', 'r+')),
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
  const file = openSync(path, 'r+');
  const value = Buffer.alloc(16);
  writeSync(file, value, 0, readSync(file, value), 0);
  closeSync(file);
}
