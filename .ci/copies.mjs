/*
 * Counts runs of equal lines in the sources, and fails above a limit.
 *
 * node .ci/copies.mjs [--list]
 *
 * A run has at least ten lines that occur in another place too, without blank lines, indentation and imports. Runs are
 * as long as possible, and each is counted once for every place after its first.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['bin', 'lib', 'functions', 'shared', 'console', 'bench'];
const shortest = 10;
/** The number of runs today: lower it with them. */
const limit = 1;

const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|[cm]?js|py|css)$/.test(name) && !/\.test\.|node_modules/.test(name))
    .map((name) => readLines(join(folder, name))),
);
const seen = new Map();
const runs = files.flatMap(runsOf);
const last = `${runs.length} runs of ${shortest} equal lines, the limit is ${limit}`;
const isShown = process.argv.includes('--list') || runs.length > limit;
process.stdout.write(`${[...(isShown ? runs : []), last].join('\n')}\n`);
process.exitCode = files.length > 0 && runs.length <= limit ? 0 : 1;

/** Reads the lines that count, with their numbers. */
function readLines(path) {
  const source = readFileSync(path, 'utf8');
  const text = source.replace(/^import\s[^;]*;$/gm, (lines) => lines.replace(/.*/g, ''));
  const lines = text.split('\n').map((line, at) => ({ text: line.trim(), number: at + 1 }));
  return { path, lines: lines.filter((line) => line.text !== '') };
}

/** Returns the runs of a file that earlier files, or earlier lines of it, have too; remembers its lines. */
function runsOf(file) {
  const found = [];
  for (let at = 0; at + shortest <= file.lines.length; at += 1) {
    const other = seen.get(windowAt(file, at));
    remember(file, at);
    if (other === undefined) continue;
    let length = shortest;
    while (isEqual(file.lines[at + length], other.file.lines[other.at + length])) {
      remember(file, at + length - shortest + 1);
      length += 1;
    }
    found.push(`${placeOf(file, at)} = ${placeOf(other.file, other.at)}: ${length} lines`);
    at += length - 1;
  }
  return found;
}

function windowAt({ lines }, at) {
  return lines
    .slice(at, at + shortest)
    .map(({ text }) => text)
    .join('\n');
}

function remember(file, at) {
  const window = windowAt(file, at);
  if (!seen.has(window)) seen.set(window, { file, at });
}

function isEqual(one, other) {
  return one !== undefined && one.text === other?.text;
}

function placeOf({ path, lines }, at) {
  return `${path}:${lines[at].number}`;
}
