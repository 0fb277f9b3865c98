'use strict';
/* Arguments: Pyodide's folder, the folder of the project's Python code, the output file. */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { makeSnapshot } = require('./load.cjs');

const [folder, python, file] = process.argv.slice(2);
const names = ['context.py', 'packages.py'];
const modules = names.map((name) => [name, readFileSync(join(python, name), 'utf8')]);
void makeSnapshot(folder, Object.fromEntries(modules)).then((snapshot) =>
  writeFileSync(file, snapshot),
);
