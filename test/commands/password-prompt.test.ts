import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { AddCommand } from '../../bin/groundwork/command.ts';
import { addInit } from '../../bin/groundwork/commands/init.ts';
import { addLogin } from '../../bin/groundwork/commands/login.ts';
import { openTerminal, type Terminal } from '../../bin/groundwork/terminal.ts';
import { openProject } from './groundwork.ts';

const url = 'http://127.0.0.1:1/evil';

/** Runs a command in a folder whose `.env` names a server, with a person who stops at the password. */
async function questionsOf(add: AddCommand, ...args: readonly string[]) {
  const { folder } = openProject();
  writeFileSync(join(folder, '.env'), `GROUNDWORK_URL=${url}\n`);
  const asked: string[] = [];
  const terminal: Terminal = {
    ...openTerminal({ isJson: false }),
    ask: (question) => {
      asked.push(question);
      return Promise.resolve('ada@example.com');
    },
    askSecret: (question) => {
      asked.push(question);
      return Promise.reject(new Error('stopped'));
    },
  };
  const program = new Command().exitOverride();
  add(program, () => terminal);
  const before = process.cwd();
  process.chdir(folder);
  try {
    await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow('stopped');
  } finally {
    process.chdir(before);
  }
  return asked;
}

test.each([
  ['login', addLogin],
  ['init', addInit],
])('%s shows the address before a password is typed', async (name, add) => {
  const asked = await questionsOf(add, name);

  expect(asked).toEqual([`E-mail for ${url}`, `Password for ${url}`]);
});
