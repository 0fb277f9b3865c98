'use strict';
/*
 * Removes features that a script must not use from the process, before a script is loaded. The permission flags of Node
 * close files, child processes, workers, addons and the inspector; this file closes the rest.
 */
const fs = require('node:fs');
const Module = require('node:module');
const net = require('node:net');
const os = require('node:os');
const { join, resolve, sep } = require('node:path');
const { fileURLToPath } = require('node:url');
const v8 = require('node:v8');

const ofProcess = [
  'kill',
  '_kill',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier', // sends signals to any process
  'binding',
  '_linkedBinding',
  'dlopen',
  'execve', // bypasses of everything else
  'abort',
  'chdir',
  'setuid',
  'setgid',
  'seteuid',
  'setegid',
  'setgroups',
  'initgroups',
];
const ofHeap = [
  'getHeapSnapshot',
  'writeHeapSnapshot',
  'setHeapSnapshotNearHeapLimit',
  'queryObjects',
  'setFlagsFromString',
  'takeCoverage',
  'stopCoverage',
];
const ofPipes = ['connect', 'connect2', 'bind', 'bind2', 'listen', 'fchmod', 'open'];
const permissionDenied = -13; // EACCES, as the system returns it
const absent = -2; // ENOENT, as the module loader returns it
const nobody = 65534;
const ordinaryMask = 0o022;

/**
 * Closes features that the permission flags leave open.
 *
 * @param {string | undefined} temporary the folder that a script may read; undefined when there is none
 * @param {net.Socket} pipe any; its type of handle could open sockets in the file system, which flags do not guard
 */
exports.lockDown = (pipe, temporary) => {
  for (const name of ofProcess) refuse(process, name, `process.${name}`);
  for (const name of ofHeap) refuse(v8, name, `v8.${name}`);
  refuse(os, 'setPriority', 'os.setPriority');
  refuse(process, 'report', 'process.report');
  const handles = Object.getPrototypeOf(pipe._handle);
  for (const name of ofPipes) {
    if (name in handles) Object.defineProperty(handles, name, { value: () => permissionDenied });
  }
  hideHost(temporary);
  hideFiles((path) => temporary !== undefined && isBelow(temporary, path));
  Module.syncBuiltinESMExports(); // for `import`
};

/** Hides the user, location and machine of the process: they look the same wherever scripts run. */
function hideHost(temporary) {
  const program = '/node';
  const argv = [program, ...(temporary === undefined ? [] : [join(temporary, 'main.js')])];
  const facts = { argv, execArgv: [], execPath: program, ppid: 1, title: 'node' };
  for (const [name, value] of Object.entries(facts)) replace(process, name, value);
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) {
    replace(process, name, () => nobody);
  }
  replace(process, 'getgroups', () => []);
  replace(process, 'umask', (mask) => {
    if (mask !== undefined) throw refusal('process.umask');
    return ordinaryMask;
  });
  const user = { uid: nobody, gid: nobody, username: 'nobody', homedir: temporary, shell: null };
  replace(os, 'userInfo', () => ({ ...user }));
  replace(os, 'hostname', () => 'script');
}

/** Hides the existence of files where the permission flags do not: a forbidden path looks like an absent one. */
function hideFiles(isAllowed) {
  const { realpathSync } = fs;
  const { _stat: stat } = Module;
  const guardedRealpath = (given, ...options) => {
    const path = toPath(given);
    if (!isAllowed(path)) throw refusal('fs.realpathSync');
    return realpathSync(path, ...options);
  };
  const guardedStat = (given) => {
    const path = toPath(given);
    return isAllowed(path) ? stat(path) : absent;
  };
  replace(fs, 'realpathSync', Object.assign(guardedRealpath, { native: realpathSync.native }));
  Module._stat = guardedStat; // the module loader itself uses it from now on
  const sealed = { value: guardedStat, writable: false, configurable: false };
  Object.defineProperty(Module, '_stat', sealed);
  refuse(Module, 'findPackageJSON', 'module.findPackageJSON');
}

function isBelow(folder, path) {
  return path === folder || path.startsWith(folder + sep);
}

function toPath(path) {
  return resolve(path instanceof URL ? fileURLToPath(path) : String(path));
}

function replace(owner, name, value) {
  if (!(name in owner)) return;
  delete owner[name]; // some are native accessors, which would remain in effect
  Object.defineProperty(owner, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: true,
  });
}

function refusal(shown) {
  const error = new Error(`${shown} is not available to scripts`);
  return Object.assign(error, { code: 'ERR_ACCESS_DENIED' });
}

function refuse(owner, name, shown) {
  if (!(name in owner)) return;
  const value = () => {
    throw refusal(shown);
  };
  Object.defineProperty(owner, name, { value, writable: true, configurable: true }); // replaces the old property
}

/** Calls `onLeftover` at each `unref` of a timer, socket or similar object: it may outlive a run. */
exports.watchLeftovers = (onLeftover) => {
  const timer = setTimeout(() => {}, 0);
  const immediate = setImmediate(() => {});
  const kinds = [timer, immediate].map((each) => Object.getPrototypeOf(each));
  clearTimeout(timer);
  clearImmediate(immediate);
  kinds.push(net.Socket.prototype, net.Server.prototype, MessagePort.prototype);
  kinds.push(require('node:dgram').Socket.prototype);
  for (const kind of kinds) {
    const { unref } = kind;
    Object.defineProperty(kind, 'unref', {
      value() {
        onLeftover();
        return unref.call(this);
      },
      writable: false,
      configurable: false,
    });
  }
};
