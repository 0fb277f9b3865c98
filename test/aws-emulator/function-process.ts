import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { FunctionResult, ScriptEvent } from '../../shared/runtimes/node/lambda.ts';

/** A function of a script, in processes of its own. */
export interface FunctionProcess {
  /** Rejects when the function ends before its response: Lambda would report an error, and start another one. */
  invoke(event: ScriptEvent): Promise<FunctionResult>;
  /** Ends the function. */
  close(): Promise<void>;
  /** Returns what the function has written to standard error, which Lambda would log. */
  log(): string;
}

/** Reads its environment from a line, so that the box itself has none of it, and becomes the function. */
const starter = 'read -r variables; eval exec env -i "$variables" \'"$@"\'';

/** Replaces Lambda's own runtime for Python, without the network. */
export const pythonHost = `
import json, os, sys
sys.path.insert(0, '/var/task')
answers = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)
import index
print('{}', file=answers, flush=True)
for line in sys.stdin:
    print(json.dumps(index.handler(json.loads(line), None)), file=answers, flush=True)`;

/** The same for Node. */
export const nodeHost = `
import { createInterface } from 'node:readline';
const { handler } = await import('/var/task/index.mjs');
console.log('{}');
for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.stringify(await handler(JSON.parse(line)));
  console.log(text.replaceAll('\\u2028', '\\\\u2028').replaceAll('\\u2029', '\\\\u2029'));
}`;

/** The start of a function. */
export interface FunctionStart {
  /** Makes its box; receives nothing of the function's environment. */
  readonly command: readonly string[];
  /** The program in it, with its arguments. */
  readonly program: readonly string[];
  /** Descriptors of this process that the command has as its third and later ones. */
  readonly descriptors?: readonly number[];
}

/**
 * Starts a function and waits until it is initialised.
 *
 * @param variables the whole environment of the function
 */
export async function startFunction(
  { command, program, descriptors = [] }: FunctionStart,
  variables: Readonly<Record<string, string>>,
): Promise<FunctionProcess> {
  const [box = '', ...args] = command;
  const child = spawn(box, [...args, 'sh', '-c', starter, 'sh', ...program], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe', ...descriptors],
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
  const closed = once(child, 'close');
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  let errors = '';
  stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ask = async (line: string): Promise<unknown> => {
    stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the function ended: ${errors}`);
    return JSON.parse(value);
  };
  stdin.on('error', () => {}); // it has ended: the answers tell
  await ask(
    Object.entries(variables)
      .map(([name, value]) => `${name}='${value}'`)
      .join(' '),
  );
  return {
    invoke: async (event) => (await ask(inOneLine(event))) as FunctionResult, // from our own handler
    close: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    log: () => errors,
  };
}

/** Returns JSON that later versions of Node do not divide: they take U+2028 and U+2029 for ends of lines. */
function inOneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
