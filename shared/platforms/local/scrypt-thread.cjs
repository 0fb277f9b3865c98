/* Hashes passwords in its own thread: one job at a time, in order of arrival. */
const { scryptSync } = require('node:crypto');
const { setPriority } = require('node:os');
const { parentPort } = require('node:worker_threads');

// On Linux, this is the priority of the thread, not of the process: the event loop and short work run first.
if (process.platform === 'linux') setPriority(10);

parentPort.on('message', (job) => parentPort.postMessage(hashOf(job)));

function hashOf({ password, bcryptSalt, salt, keyBytes, options }) {
  if (bcryptSalt === undefined) return scryptSync(password, salt, keyBytes, options);
  const { hashSync } = require('bcryptjs'); // only for passwords that were imported
  return Buffer.from(hashSync(password, bcryptSalt));
}
