import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { complain, formatTable, runProgram, say } from '../../bin/operator/terminal.ts';

const hostile = 'a\u001b]52;c;ZXZpbA==\u0007\u009b2J\u202eb';
const shown = 'a\\u001b]52;c;ZXZpbA==\\u0007\\u009b2J\\u202eb';

/** Collects what is printed. */
function watch() {
  const printed = { out: '', error: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.out += text;
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.error += text;
    return true;
  });
  return printed;
}

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

test('texts of others control no terminal of an operator', async () => {
  const printed = watch();

  say(hostile);
  say(
    formatTable([
      ['id', 'error'],
      ['1', `${hostile}\nx`],
    ]),
  );
  complain(hostile);
  await runProgram({ name: 'rotate', usage: '' }, () => Promise.reject(new Error(hostile)));

  expect(printed).toEqual({
    out: `${shown}\nid  error\n1   ${shown}\\u000ax\n`,
    error: `${shown}\nrotate: ${shown}\n`,
  });
});

/** Programs that print texts of their own only. */
const others = ['app.ts', 'serve.ts'];

test('programs of operators print in one place', () => {
  const folder = new URL('../../bin/', import.meta.url);
  const printing = readdirSync(folder).filter((name) => {
    const isProgram = name.endsWith('.ts');
    return isProgram && /std(out|err)\.write\(/.test(readFileSync(new URL(name, folder), 'utf8'));
  });

  expect(printing).toEqual(others);
});
