import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readMessages } from '../../shared/runtimes/control.ts';

const report = (mark: string) => JSON.stringify({ mark, exitCode: 0, isReusable: true });

test.each([
  ['the report of the run', [`${report('right')}\n`], true],
  ['a report in pieces', [report('right').slice(0, 9), `${report('right').slice(9)}\n`], true],
  ['a report after junk', ['}{\n', '\u0000\n\n', `${report('right')}\n`], true],
  ['a report of another run', [`${report('wrong')}\n`], false],
  ['half a report', [report('right')], false],
  ['no report at all', ['{"mark":"right"}\n', 'null\n', '[]\n'], false],
])('%s', async (_name, chunks, isBelieved) => {
  const control = new PassThrough();
  const messages = readMessages(control, () => {});
  let believed: unknown;
  void messages.reportOf('right').then((each) => {
    believed = each;
  });

  for (const chunk of chunks) control.write(chunk);
  control.end();
  await new Promise((resolve) => control.once('close', resolve));

  expect(believed).toEqual(
    isBelieved ? { mark: 'right', exitCode: 0, isReusable: true } : undefined,
  );
});

test.each([
  ['{"ready":true}', true],
  ['{"ready": true}', true],
  ['{"ready": true, "refused": ["filters", "privileges"]}', true],
  ['{"ready": true, "refused": [{}]}', false],
  ['{"ready": false}', false],
  [`{"ready": true, "refused": ["${'x'.repeat(200)}"]}`, false],
])('the first message %s means ready: %s', async (line, isReady) => {
  const control = new PassThrough();
  const messages = readMessages(control, () => {});
  let ready = false;
  void messages.ready.then(() => {
    ready = true;
  });

  control.end(`${line}\n`);
  await new Promise((resolve) => control.once('close', resolve));

  expect(ready).toBe(isReady);
});
