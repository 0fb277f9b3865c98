'use strict';
/* Arguments: Pyodide's folder, the file with the project's Python code, the output file. */
const { readFileSync, writeFileSync } = require('node:fs');
const { makeSnapshot } = require('./load.cjs');

const [folder, context, file] = process.argv.slice(2);
void makeSnapshot(folder, readFileSync(context, 'utf8')).then((snapshot) =>
  writeFileSync(file, snapshot),
);
