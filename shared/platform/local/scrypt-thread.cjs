/* Runs scrypt in a thread of its own: one job at a time, as they come. */
const { scryptSync } = require('node:crypto');
const { setPriority } = require('node:os');
const { parentPort } = require('node:worker_threads');

// On Linux alone this is the priority of the thread, not of the process: those who wait for less go first.
if (process.platform === 'linux') setPriority(10);

parentPort.on('message', ({ password, salt, keyBytes, options }) => {
  parentPort.postMessage(scryptSync(password, salt, keyBytes, options));
});
