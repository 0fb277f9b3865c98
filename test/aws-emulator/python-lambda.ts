import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { FoundPython } from '../../shared/platform/local/scripts/commands/find-python.ts';
import { boxCommand } from '../../shared/platform/local/scripts/sandbox/box.ts';
import type { Isolation } from '../../shared/platform/local/scripts/sandbox/level.ts';
import type { FunctionResult, ScriptEvent } from '../../shared/platform/runtimes/node/lambda.ts';

/** A Python function in its own box, which represents its machine in Lambda. */
export interface PythonLambda {
  /** Rejects when the function ends before its response: Lambda would report an error, and start another one. */
  invoke(event: ScriptEvent): Promise<FunctionResult>;
  /** Ends the function. */
  close(): Promise<void>;
}

/** Reads its environment from a line, so that the box itself has none of it, and becomes the function. */
const starter = 'read -r variables; eval exec env -i "$variables" \'"$@"\'';

/** Replaces Lambda's own runtime, without the network. */
const host = `
import json, os, sys
sys.path.insert(0, '/var/task')
answers = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)
import index
print('{}', file=answers, flush=True)
for line in sys.stdin:
    print(json.dumps(index.handler(json.loads(line), None)), file=answers, flush=True)`;

/**
 * Starts a function and waits until it is initialised.
 *
 * @param folder    content of its zip
 * @param variables the whole environment of the function
 */
export async function startPythonLambda(
  { isolation, python }: { readonly isolation: Isolation; readonly python: FoundPython },
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<PythonLambda> {
  const { program, folder: library } = python;
  const binds = [[folder, '/var/task'] as const, [library, library] as const];
  const [box = '', ...args] = boxCommand({ ...isolation, isRoot: false, binds }); // Lambda's own user is not root
  const child = spawn(box, [...args, 'sh', '-c', starter, 'sh', program, '-S', '-c', host], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const ask = async (line: string): Promise<unknown> => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the function ended: ${errors}`);
    return JSON.parse(value);
  };
  child.stdin.on('error', () => {}); // it has ended: the answers tell
  await ask(
    Object.entries(variables)
      .map(([name, value]) => `${name}='${value}'`)
      .join(' '),
  );
  return {
    invoke: async (event) => (await ask(JSON.stringify(event))) as FunctionResult, // from our own handler
    close: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
