'use strict';
/* Arguments: Pyodide's folder, the output file, the files with the project's Python code. */
const { readFileSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const { makeSnapshot } = require('./load.cjs');

const [folder, file, ...modules] = process.argv.slice(2);
const code = modules.map((path) => [basename(path), readFileSync(path, 'utf8')]);
void makeSnapshot(folder, code).then((snapshot) => writeFileSync(file, snapshot));
