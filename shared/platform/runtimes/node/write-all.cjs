'use strict';
const { writeSync } = require('node:fs');

const nap = new Int32Array(new SharedArrayBuffer(4));
const { wait } = Atomics;

/** Writes a whole chunk, and waits while the reader is behind. */
exports.writeAll = (descriptor, chunk) => {
  for (let at = 0; at < chunk.length; ) {
    try {
      at += writeSync(descriptor, chunk, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      wait(nap, 0, 0, 1); // ms
    }
  }
};
