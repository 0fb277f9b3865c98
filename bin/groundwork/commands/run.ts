import { readFileSync } from 'node:fs';
import { messageOf } from '../../../shared/values/caught.ts';
import { parseExactJson } from '../../../shared/values/json/exact-number.ts';
import { at, below, checkPath, joined } from '../../../shared/values/text/request-path.ts';
import { UsageError } from '../../operator/terminal.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { openNamed } from '../project-files.ts';
import { connectInstance, type ServerOptions } from '../settings.ts';
import { endOf, findLabelled, outcomeOf, outputOf } from '../traces.ts';

/** Adds `run`: runs a script, and prints its output. */
export const addRun: AddCommand = (program, terminal) => {
  withInstance(program.command('run'))
    .description('run a script, and print what it prints')
    .argument('<script>', 'its label or id')
    .option('--payload <json>', 'the arguments of the script: JSON, or @ and the name of a file')
    .addHelpText('after', '\nExample:\n  groundwork run greet --payload @ada.json')
    .action(async (script: string, options: ServerOptions & { readonly payload?: string }) => {
      const out = terminal();
      const payload = readPayload(options.payload ?? '{}');
      const connection = connectInstance(options);
      const { send, base } = connection;
      const list = at`snippets/scripts/`;
      const { id } = await findLabelled(connection, list, script);
      const { body } = await send({
        path: below(joined(base, list))`${id}/run/`,
        body: { payload },
      });
      const trace = await endOf(send, checkPath(body.links.self));
      out.result(trace, () => [...outputOf(trace, out), outcomeOf(trace, out)].join('\n'));
      if (trace.status !== 'success') process.exitCode = 1;
    });
};

/** What a shell gives a command to read, which no project holds. */
const standardInput = /^\/dev\/(stdin|fd\/\d+)$/;

function readPayload(given: string): unknown {
  try {
    return parseExactJson(given.startsWith('@') ? readNamed(given.slice(1)) : given);
  } catch (error) {
    throw new UsageError(`--payload: ${messageOf(error)}`);
  }
}

function readNamed(name: string): string {
  if (standardInput.test(name)) return readFileSync(name, 'utf8');
  const { files, path } = openNamed(name);
  const text = files.readText(path);
  if (text === undefined) throw new UsageError(`there is no ${name}`);
  return text;
}
