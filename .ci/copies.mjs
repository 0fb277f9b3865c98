/*
 * node .ci/copies.mjs     prints runs of equal lines in the sources, and fails above a limit
 *
 * A run has at least ten lines that an earlier place has too, without blank lines, indentation and imports.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['bin', 'lib', 'functions', 'shared', 'console', 'bench'];
const shortest = 10;
/** The number of runs today: lower it with them. */
const limit = 1;

const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|[cm]?js|py|css)$/.test(name) && !name.includes('.test.'))
    .map((name) => readLines(join(folder, name))),
);
const seen = new Map();
const runs = files.flatMap(runsOf);
const last = `${runs.length} runs of ${shortest} equal lines, the limit is ${limit}`;
process.stdout.write(`${[...runs, last].join('\n')}\n`);
process.exitCode = files.length > 0 && runs.length <= limit ? 0 : 1;

/** Reads the lines that count, with their places. */
function readLines(path) {
  const source = readFileSync(path, 'utf8');
  const text = source.replace(/^import\s[^;]*;$/gm, (lines) => lines.replace(/.*/g, ''));
  const lines = text
    .split('\n')
    .map((line, at) => ({ text: line.trim(), place: `${path}:${at + 1}` }));
  return lines.filter((line) => line.text !== '');
}

/** Returns the runs of a file, each as long as possible; remembers its lines. */
function runsOf(lines) {
  const found = [];
  for (let at = 0; at + shortest <= lines.length; at += 1) {
    const other = remember(lines, at);
    if (other === undefined) continue;
    let length = shortest;
    while (lines[at + length] && lines[at + length].text === other.lines[other.at + length]?.text) {
      length += 1;
      remember(lines, at + length - shortest);
    }
    found.push(`${lines[at].place} = ${other.lines[other.at].place}: ${length} lines`);
    at += length - 1;
  }
  return found;
}

/** Returns the first place of the lines from `at` on; remembers it if it is this one. */
function remember(lines, at) {
  const own = lines.slice(at, at + shortest).map(({ text }) => text);
  const other = seen.get(own.join('\n'));
  if (other === undefined) seen.set(own.join('\n'), { lines, at });
  return other;
}
