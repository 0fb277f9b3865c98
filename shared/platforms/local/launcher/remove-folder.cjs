'use strict';
/*
 * Deletes folders of runs, whatever a script has put into them: folders of all modes, and deeper than the longest path.
 * Node has no calls that take a folder's descriptor, so this enters one folder after the other, and names only entries
 * of the current one. As a program, it deletes the folders in its arguments; the exit code is 1 if one is left.
 */
const { basename, dirname } = require('node:path');
const { calls } = require('./folder-calls.cjs');

const ownerMode = 0o700;
const programMs = 60_000;
const retryable = ['ENOTEMPTY', 'EEXIST']; // a killed process may create its last file after it was listed

/**
 * Deletes a folder. It stays in some other folder.
 *
 * @param deadlineMs time at which it gives up, of `Date.now`
 * @throws Error of the first entry that cannot be deleted
 */
exports.removeFolder = (folder, deadlineMs) => {
  calls.chdir(dirname(folder));
  const names = [];
  if (!enter(basename(folder))) return;
  names.push(basename(folder));
  while (names.length > 0) {
    const name = removeFiles(deadlineMs);
    if (name !== undefined) {
      if (enter(name)) names.push(name);
    } else if (leave(names.at(-1))) names.pop();
    else enter(names.at(-1)); // it is not empty
  }
};

/** Enters a folder; deletes what is not a folder instead. Returns whether it has entered. */
function enter(name) {
  const before = ignoring(['ENOENT'], () => calls.lstat(name));
  if (before === undefined) return false;
  if (!before.isDirectory()) {
    remove(name);
    return false;
  }
  try {
    calls.chdir(name);
  } catch (error) {
    if (error.code !== 'EACCES') throw error;
    calls.chmod(name, ownerMode);
    calls.chdir(name);
  }
  const { dev, ino } = calls.lstat('.');
  if (dev !== before.dev || ino !== before.ino) throw new Error(`${name} was replaced`);
  return true;
}

/** Deletes files of the current folder until it comes to a folder, whose name it returns; undefined if there is none. */
function removeFiles(deadlineMs) {
  const entries = open();
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (Date.now() > deadlineMs) throw new Error('it takes too long');
      if (entry.isDirectory()) return entry.name;
      if (!remove(entry.name)) return entry.name;
    }
    return undefined;
  } finally {
    entries.closeSync();
  }
}

/** Opens the current folder, for whose entries it needs all permissions of the owner. */
function open() {
  const { mode } = calls.lstat('.');
  if ((mode & ownerMode) !== ownerMode) calls.chmod('.', ownerMode);
  return calls.opendir('.');
}

/** Deletes a file of the current folder. Returns false for a folder: some file systems do not say what an entry is. */
function remove(name) {
  try {
    ignoring(['ENOENT'], () => calls.unlink(name));
    return true;
  } catch (error) {
    if (calls.lstat(name).isDirectory()) return false;
    throw error;
  }
}

/** Leaves the current folder and deletes it. Returns false if it is not empty. */
function leave(name) {
  calls.chdir('..');
  try {
    ignoring(['ENOENT'], () => calls.rmdir(name));
    return true;
  } catch (error) {
    if (!retryable.includes(error.code)) throw error;
    return false;
  }
}

function ignoring(codes, call) {
  try {
    return call();
  } catch (error) {
    if (!codes.includes(error.code)) throw error;
    return undefined;
  }
}

if (require.main === module) {
  const deadlineMs = Date.now() + programMs;
  for (const folder of process.argv.slice(2)) {
    try {
      exports.removeFolder(folder, deadlineMs);
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`${folder}: ${error.message}\n`);
    }
  }
}
