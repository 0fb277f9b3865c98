import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readJsonLines } from '../../shared/runtimes/json-lines.ts';

test('a line that is no JSON ends the conversation, and not the process', () => {
  const stream = new PassThrough();
  const seen: unknown[] = [];
  const onMessage = (message: unknown) => seen.push(message);
  readJsonLines(stream, 100, { onMessage, onFlood: () => seen.push('flood') });

  stream.emit('data', Buffer.from('{"a":1}\nnull\n{"a":\n{"a":2}\n'));
  stream.emit('data', Buffer.from('{"a":3}\n'));

  expect(seen).toEqual([{ a: 1 }, null, 'flood']);
});
