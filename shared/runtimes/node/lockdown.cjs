'use strict';
/*
 * Takes from the process what a script must not have, before one is there. The permission flags of Node close files,
 * child processes, workers, addons and the inspector; they leave open what is closed here.
 */
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const os = require('node:os');
const v8 = require('node:v8');

const ofProcess = [
  ...['kill', '_kill', '_debugProcess', '_debugEnd', '_startProfilerIdleNotifier'], // signals, to anybody
  ...['binding', '_linkedBinding', 'dlopen', 'execve'], // ways around everything else
  ...['abort', 'chdir'],
  ...['setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups'],
];
const ofHeap = [
  ...['getHeapSnapshot', 'writeHeapSnapshot', 'setHeapSnapshotNearHeapLimit', 'queryObjects'],
  ...['setFlagsFromString', 'takeCoverage', 'stopCoverage'],
];
const ofPipes = ['connect', 'connect2', 'bind', 'bind2', 'listen', 'fchmod', 'open'];
const permissionDenied = -13; // EACCES, as the system says it

/**
 * Closes what is open beside the permission flags.
 *
 * @param {net.Socket} pipe any; its kind of handle would reach sockets in the file system, which flags do not guard
 */
exports.lockDown = (pipe) => {
  for (const name of ofProcess) refuse(process, name, `process.${name}`);
  for (const name of ofHeap) refuse(v8, name, `v8.${name}`);
  refuse(os, 'setPriority', 'os.setPriority');
  refuse(process, 'report', 'process.report');
  const handles = Object.getPrototypeOf(pipe._handle);
  for (const name of ofPipes) {
    if (name in handles) Object.defineProperty(handles, name, { value: () => permissionDenied });
  }
  syncBuiltinESMExports(); // `import` sees the same
};

function refuse(owner, name, shown) {
  if (!(name in owner)) return;
  const value = () => {
    const error = new Error(`${shown} is not available to scripts`);
    throw Object.assign(error, { code: 'ERR_ACCESS_DENIED' });
  };
  Object.defineProperty(owner, name, { value, writable: true, configurable: true }); // what was there is gone
}

/** Calls `onLeftover` whenever a timer, socket or the like is told not to keep the process alive: it may outlive a run. */
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
