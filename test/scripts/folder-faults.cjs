'use strict';
/*
 * Lets calls on folders of runs fail in the launcher and in the removal of folders: `GROUNDWORK_TEST_FAULTS` is a JSON
 * list of [call, code, file]. Each fails once, in the process that can create the file first.
 */
const { closeSync, openSync } = require('node:fs');
const { calls } = require('../../shared/platforms/local/launcher/folder-calls.cjs');

for (const [name, code, mark] of JSON.parse(process.env.GROUNDWORK_TEST_FAULTS)) {
  const call = calls[name];
  calls[name] = (...args) => {
    const isFolder = !/^\/proc\/\d+/.test(String(args[0])) || name === 'stat' || name === 'statfs';
    if (isFolder && isFirst(mark)) throw Object.assign(new Error(`${code}: a fault`), { code });
    return call(...args);
  };
}

function isFirst(mark) {
  try {
    closeSync(openSync(mark, 'wx'));
    return true;
  } catch {
    return false;
  }
}
