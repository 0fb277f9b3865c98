'use strict';
const { writeSync } = require('node:fs');

const sleepCell = new Int32Array(new SharedArrayBuffer(4));
const { wait } = Atomics;

/** Writes a complete chunk. Blocks while the pipe is full. */
exports.writeAll = (descriptor, chunk) => {
  for (let at = 0; at < chunk.length; ) {
    try {
      at += writeSync(descriptor, chunk, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      wait(sleepCell, 0, 0, 1); // ms
    }
  }
};
