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

const keepers = {
  'node:internal/deps/undici/undici': 'fetch',
  'node:_http_agent': 'agent',
  'node:internal/abort_controller': 'signal',
};
const { captureStackTrace } = Error;

/**
 * Watches each `unref` of a timer, socket or similar object, which may outlive a run; calls `onLeftover` for those of a
 * script. Node itself unreferences connections that wait for a further request of `fetch` or of an HTTP agent, timers of
 * `fetch`, and those of `AbortSignal.timeout`.
 *
 * @returns a function that closes such connections and stops the timers of signals; it returns whether a connection is
 *   being closed, whose events follow
 */
exports.watchLeftovers = (onLeftover) => {
  const kept = { sockets: new Set(), timers: new Set() };
  const timer = setTimeout(() => {}, 0);
  const immediate = setImmediate(() => {});
  const kinds = [timer, immediate].map((each) => Object.getPrototypeOf(each));
  clearTimeout(timer);
  clearImmediate(immediate);
  const [timers] = kinds;
  kinds.push(net.Socket.prototype, net.Server.prototype, MessagePort.prototype);
  kinds.push(require('node:dgram').Socket.prototype);
  for (const kind of kinds) {
    const { unref } = kind;
    const value = function unreference() {
      const keeper = keepers[callerOf(unreference)];
      if (keeper === 'signal' && kind === timers) kept.timers.add(this);
      else if (keeper !== undefined && kind === net.Socket.prototype) keep(kept.sockets, this);
      else if (keeper !== 'fetch' || kind !== timers) onLeftover();
      return unref.call(this);
    };
    Object.defineProperty(kind, 'unref', { value, writable: false, configurable: false });
  }
  return () => endKept(kept);
};

/** Returns the file of Node that called a function, if any, directly or through an HTTP/2 session. */
function callerOf(called) {
  const trace = {};
  captureStackTrace(trace, called);
  const [, first = '', second = ''] = String(trace.stack).split('\n');
  const caller = first.includes('(node:internal/http2/core:') ? second : first;
  return /(node:[\w/]+):\d+:\d+\)?$/.exec(caller)?.[1];
}

function keep(sockets, socket) {
  if (sockets.has(socket)) return;
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

function endKept({ sockets, timers }) {
  for (const timer of timers) clearTimeout(timer);
  timers.clear();
  for (const socket of sockets) socket.destroy();
  return sockets.size > 0;
}
