import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, test as base, describe, expect } from 'vitest';
import { endProcesses } from '../../support/server-process.ts';
import { drawCast, readCast, textOf } from './cast.ts';
import { castFile, commands, drawingFile } from './files.ts';
import { type Played, play } from './play.ts';

const test = base
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('played', { scope: 'file' }, async ({}, { onCleanup }) => {
    const began = performance.now();
    const played = await play(recording.steps.map(({ command }) => command));
    onCleanup(() => played.close());
    return { ...played, seconds: (performance.now() - began) / 1000 };
  });
afterAll(endProcesses);

/* The recorded session of docs/guides/command-line.md, played again. */

const project = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(project, path), 'utf8');
const recording = readCast(readFileSync(castFile, 'utf8'));

test('its five commands print what was recorded', ({ played }) => {
  expect(recording.steps.map(({ command }) => command)).toEqual(commands);
  expect(commands).toHaveLength(5);
  expect(outputs(played.steps)).toEqual(outputs(recording.steps));
});

test('it takes less than two minutes, as recorded and now', ({ played }) => {
  expect(recording.seconds).toBeLessThan(120);
  expect(played.seconds).toBeLessThan(120);
});

test('its drawing and its text are those of the recording', () => {
  expect(readFileSync(drawingFile, 'utf8')).toBe(drawCast(recording));
  expect(read('docs/guides/command-line.md')).toContain(`\`\`\`text\n${textOf(recording)}\`\`\`\n`);
  expect(read('docs/guides/command-line.md')).toContain('(../images/first-steps.svg)');
});

describe('the query of the example', () => {
  const check = async (played: Played) => {
    const tsc = join(project, 'node_modules/typescript/bin/tsc');
    const types = ['--types', 'node', '--typeRoots', join(project, 'node_modules/@types')];
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext'];
    const args = [tsc, ...options, ...types, '--allowImportingTsExtensions', 'books.ts'];
    const run = promisify(execFile)(process.execPath, args, { cwd: played.folder });
    return (await run.catch((error) => error)).stdout;
  };

  test('is correct for a compiler, and a misspelt field is not', async ({ played }) => {
    const path = join(played.folder, 'books.ts');
    const source = readFileSync(path, 'utf8');

    const correct = await check(played);
    writeFileSync(path, source.replace('where: { year:', 'where: { yaer:'));
    const misspelt = await check(played);

    expect([correct, misspelt]).toEqual(['', expect.stringContaining("'yaer' does not exist")]);
  });
});

/** Returns the outputs of steps, without what differs from run to run. */
const outputs = (steps: Played['steps']) =>
  steps.map(({ command, output }) => [command, output.replace(/ in \d+ ms$/m, ' in … ms')]);
