'use strict';
/* Packages that scripts may require. Their code runs in the context of the run, so it can do what the script can. */
const { readFileSync } = require('node:fs'); // here: a script may replace it later
const vm = require('node:vm');
const { brotliDecompressSync } = require('node:zlib');

/** The name of the old service's client, with which scripts require it. */
exports.clientName = 'syncano';

/** Name of the client's code: Node does not warn of old functions that packages use, which it knows by the folder. */
const filename = `/node_modules/${exports.clientName}/index.js`;

/**
 * Opens the bundled client: it is read and compiled when a run first requires it, once for all runs of this process.
 *
 * @param {string} file made by bundle-client.mjs
 * @param {boolean} isReadNow true when the file cannot be read later, as another user
 * @returns a function that evaluates the client in a context and returns what it exports
 */
exports.openClient = (file, isReadNow) => {
  const read = () => readFileSync(file, 'utf8');
  let packed = isReadNow ? read() : undefined;
  let script;
  return (context, require, apiUrl) => {
    if (script === undefined) {
      script = new vm.Script(unpack(packed ?? read()), { filename });
      packed = undefined;
    }
    const module = { exports: {} };
    script.runInContext(context)(require, module, module.exports, apiUrl);
    return module.exports;
  };
};

const { from } = Buffer;

/** Returns the source in a file of bundle-client.mjs, which may begin with a mark. */
function unpack(text) {
  return brotliDecompressSync(from(text.slice(text.indexOf(':') + 1), 'base64')).toString();
}
