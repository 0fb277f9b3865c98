'use strict';
/*
 * Removes features that a script must not use from the process, before a script is loaded. The permission flags of Node
 * deny files, child processes, workers, addons and the inspector; this file denies the rest.
 */
const fs = require('node:fs');
const Module = require('node:module');
const net = require('node:net');
const os = require('node:os');
const { join, resolve, sep } = require('node:path');
const { fileURLToPath } = require('node:url');
const v8 = require('node:v8');

const processFeatures = [
  'kill',
  '_kill',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier', // sends signals to any process
  'binding',
  '_linkedBinding',
  'dlopen',
  'execve', // these bypass everything else
  'abort',
  'chdir',
  'setuid',
  'setgid',
  'seteuid',
  'setegid',
  'setgroups',
  'initgroups',
];
const heapFeatures = [
  'getHeapSnapshot',
  'writeHeapSnapshot',
  'setHeapSnapshotNearHeapLimit',
  'queryObjects',
  'setFlagsFromString',
  'takeCoverage',
  'stopCoverage',
];
const pipeMethods = ['connect', 'connect2', 'bind', 'bind2', 'listen', 'fchmod', 'open'];
const permissionDenied = -13; // EACCES, as the system returns it
const notFound = -2; // ENOENT, as the module loader returns it
const nobodyId = 65534;
const defaultMask = 0o022;

/**
 * Denies features that the permission flags allow.
 *
 * @param {string | undefined} temporary the only folder that a script may read, if any
 * @param {net.Socket} pipe any pipe; handles of its type could open sockets in the file system, which no flag denies
 */
exports.lockDown = (pipe, temporary) => {
  for (const name of processFeatures) deny(process, name, `process.${name}`);
  for (const name of heapFeatures) deny(v8, name, `v8.${name}`);
  deny(os, 'setPriority', 'os.setPriority');
  deny(process, 'report', 'process.report');
  const handles = Object.getPrototypeOf(pipe._handle);
  for (const name of pipeMethods) {
    if (name in handles) Object.defineProperty(handles, name, { value: () => permissionDenied });
  }
  hideHost(temporary);
  hideFiles((path) => temporary !== undefined && isBelow(temporary, path));
  Module.syncBuiltinESMExports(); // for `import`
};

/** Hides the user, paths and host of the process, which look the same on all platforms. */
function hideHost(temporary) {
  const program = '/node';
  const argv = [program, ...(temporary === undefined ? [] : [join(temporary, 'main.js')])];
  const facts = { argv, execArgv: [], execPath: program, ppid: 1, title: 'node' };
  for (const [name, value] of Object.entries(facts)) replace(process, name, value);
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) {
    replace(process, name, () => nobodyId);
  }
  replace(process, 'getgroups', () => []);
  replace(process, 'umask', (mask) => {
    if (mask !== undefined) throw accessError('process.umask');
    return defaultMask;
  });
  const user = {
    uid: nobodyId,
    gid: nobodyId,
    username: 'nobody',
    homedir: temporary,
    shell: null,
  };
  replace(os, 'userInfo', () => ({ ...user }));
  replace(os, 'hostname', () => 'script');
}

/** Hides the existence of files where the permission flags do not: a denied path looks absent. */
function hideFiles(isAllowed) {
  const { realpathSync } = fs;
  const { _stat: stat } = Module;
  const guardedRealpath = (target, ...options) => {
    const path = toPath(target);
    if (!isAllowed(path)) throw accessError('fs.realpathSync');
    return realpathSync(path, ...options);
  };
  const guardedStat = (target) => {
    const path = toPath(target);
    return isAllowed(path) ? stat(path) : notFound;
  };
  replace(fs, 'realpathSync', Object.assign(guardedRealpath, { native: realpathSync.native }));
  Module._stat = guardedStat; // also replaces the module loader's own
  const lockedProperty = { value: guardedStat, writable: false, configurable: false };
  Object.defineProperty(Module, '_stat', lockedProperty);
  deny(Module, 'findPackageJSON', 'module.findPackageJSON');
}

function isBelow(folder, path) {
  return path === folder || path.startsWith(folder + sep);
}

function toPath(path) {
  return resolve(path instanceof URL ? fileURLToPath(path) : String(path));
}

function replace(owner, name, value) {
  if (!(name in owner)) return;
  delete owner[name]; // some are native accessors, which assignment would not replace
  Object.defineProperty(owner, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: true,
  });
}

function accessError(label) {
  const error = new Error(`${label} is not available to scripts`);
  return Object.assign(error, { code: 'ERR_ACCESS_DENIED' });
}

function deny(owner, name, label) {
  if (!(name in owner)) return;
  const value = () => {
    throw accessError(label);
  };
  Object.defineProperty(owner, name, { value, writable: true, configurable: true }); // replaces the old property
}

/** Calls `onLeftover` at each `unref` of a timer, socket or similar object, which may outlive a run. */
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
