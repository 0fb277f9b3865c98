/* Runs scrypt in its own thread: one job at a time, in order of arrival. */
const { scryptSync } = require('node:crypto');
const { setPriority } = require('node:os');
const { parentPort } = require('node:worker_threads');

// On Linux, this is the priority of the thread, not of the process: the event loop and short work run first.
if (process.platform === 'linux') setPriority(10);

parentPort.on('message', ({ password, salt, keyBytes, options }) => {
  parentPort.postMessage(scryptSync(password, salt, keyBytes, options));
});
