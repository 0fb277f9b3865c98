import { readFileSync } from 'node:fs';
import { messageOf } from '../../../shared/values/caught.ts';
import { parseFiniteJson } from '../../../shared/values/json/finite-json.ts';
import { below, checkPath } from '../../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { type NamedEncoding, openNamed, textOfFile } from '../project-files.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import { endOf, findLabelled, outcomeOf, outputOf } from '../traces.ts';

interface RunOptions extends ConnectionOptions, NamedEncoding {
  readonly payload?: string;
}

/** Adds `run`: runs a script, and prints its output. */
export const addRun: AddCommand = (program, terminal) => {
  withInstance(program.command('run'))
    .description('run a script, and show its output')
    .argument('<script>', 'its label or id')
    .option('--payload <json>', 'the arguments of the script: JSON, or @ and a file name')
    .option('--encoding <name>', 'the encoding of the file; UTF-8 if absent')
    .addHelpText('after', '\nExample:\n  groundwork run greet --payload @ada.json')
    .action(async (script: string, options: RunOptions) => {
      const out = terminal();
      const payload = readPayload(options);
      const connection = connectInstance(options);
      const { send } = connection;
      const { path } = await findLabelled(connection, 'script', script);
      const { body } = await send({ path: below(path)`run/`, body: { payload } });
      const trace = await endOf(send, checkPath(body.links.self));
      out.result(trace, () => [...outputOf(trace, out), outcomeOf(trace, out)].join('\n'));
      if (trace.status !== 'success') process.exitCode = 1;
    });
};

/** What a shell gives a command to read, which no project holds. */
const standardInput = /^\/dev\/(stdin|fd\/\d+)$/;

function readPayload({ payload = '{}', ...named }: RunOptions): unknown {
  try {
    return parseFiniteJson(payload.startsWith('@') ? readNamed(payload.slice(1), named) : payload);
  } catch (error) {
    throw new OperatorUsageError(`--payload: ${messageOf(error)}`);
  }
}

function readNamed(name: string, { encoding }: NamedEncoding): string {
  if (standardInput.test(name)) return textOfFile(readFileSync(name), name, { encoding });
  const { files, path } = openNamed(name);
  const text = files.readText(path, { encoding });
  if (text === undefined) throw new OperatorUsageError(`there is no ${name}`);
  return text;
}
