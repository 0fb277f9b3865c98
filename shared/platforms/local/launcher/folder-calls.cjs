'use strict';
/*
 * All calls on files of runs from outside of the sandbox, except for those of the server (run-folders.ts). A script
 * determines what they find, so each of them may fail with any error. `test/scripts/folder-faults.test.ts` lets each
 * fail, and rejects a module that calls the file system in another way.
 */
const fs = require('node:fs');

exports.calls = {
  chdir: (path) => process.chdir(path),
  chmod: fs.chmodSync,
  close: fs.closeSync,
  fstat: fs.fstatSync,
  lstat: fs.lstatSync,
  open: fs.openSync,
  opendir: fs.opendirSync,
  readdir: fs.readdirSync,
  rmdir: fs.rmdirSync,
  stat: fs.statSync,
  statfs: fs.statfsSync,
  unlink: fs.unlinkSync,
};
