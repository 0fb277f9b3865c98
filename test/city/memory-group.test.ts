import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { openMemoryGroup } from './memory-group.ts';

const megabyte = 2 ** 20;
const group = openMemoryGroup(`groundwork-test-${process.pid}`, 100 * megabyte);
if (group === undefined) process.stdout.write('skipped: control groups, none can be created\n');

test.skipIf(group === undefined)('processes in a group see its limit, and are killed', async () => {
  if (group === undefined) return;
  onTestFinished(() => group.remove());
  const script = `console.log(process.constrainedMemory());
    const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1));`;
  const join = `echo $$ > '${group.processes}' && exec "$0" "$@"`;
  const child = spawn('/bin/sh', ['-c', join, process.execPath, '-e', script]);
  let output = '';
  child.stdout.on('data', (part) => {
    output += part;
  });

  const [code, signal] = await once(child, 'close');

  expect({ code, signal, output }).toEqual({
    code: null,
    signal: 'SIGKILL',
    output: `${100 * megabyte}\n`,
  });
  expect(group.kills()).toBe(1);
});
