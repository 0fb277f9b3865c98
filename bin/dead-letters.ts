import type { DeadLetter, DeadLetters } from '../shared/jobs/dead-letters.ts';
import { messageOf } from '../shared/values/caught.ts';
import {
  complain,
  formatTable,
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './operator/terminal.ts';

const program: OperatorProgram = {
  name: 'dead-letters',
  usage: `Usage: npm run dead-letters -- list|replay|drop [ID...|--all] [options]

Shows changes and messages that could not be processed, and processes them again.

  list            lists them
  replay ID...    processes them again; those that succeed are deleted, others are kept
  drop ID...      deletes them

  --all           replay, drop: all of them
  --json          list: as JSON
  --data DIR      the data folder of a local server (default ./.groundwork). A server must be
                  running on it for replay and drop
  --stage NAME    a deployment on AWS, in place of a folder
  --help          show this

Exit codes: 0 done; 1 at least one failed and is kept; 2 the command line makes no sense.
`,
};

await runProgram(program, async () => {
  const { values, positionals } = readCommand();
  const [command, ...ids] = positionals;
  if (command !== 'list' && command !== 'replay' && command !== 'drop') {
    throw new OperatorUsageError('say what to do: list, replay or drop');
  }
  if (command === 'list' && (ids.length > 0 || values.all)) {
    throw new OperatorUsageError('list takes no ids');
  }
  if (command !== 'list' && values.all !== (ids.length === 0)) {
    throw new OperatorUsageError(`${command} takes ids, or --all`);
  }
  const letters = await open(values);
  try {
    const all = await letters.list();
    if (command === 'list') show(all, values.json);
    else await apply(letters, command, values.all ? all : choose(all, ids));
  } finally {
    await letters.close();
  }
});

function readCommand() {
  return readCommandLine({
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      data: { type: 'string' },
      stage: { type: 'string' },
    },
  });
}

async function open({
  data,
  stage,
}: ReturnType<typeof readCommand>['values']): Promise<DeadLetters> {
  if (data !== undefined && stage !== undefined) {
    throw new OperatorUsageError('--data and --stage exclude each other');
  }
  if (stage === undefined) {
    const { openDeadLetters } = await import('../shared/platforms/local/dead-letters.ts');
    return openDeadLetters(data ?? '.groundwork');
  }
  const { findDeployment } = await import('../shared/platforms/aws/operations/stack.ts');
  const { openDeadLetters } = await import('../shared/platforms/aws/operations/dead-letters.ts');
  return openDeadLetters(await findDeployment(stage));
}

function choose(all: readonly DeadLetter[], ids: readonly string[]): readonly DeadLetter[] {
  return ids.map((wanted) => {
    const found = all.find(({ id }) => id === wanted);
    if (found === undefined) throw new Error(`there is no dead letter ${wanted}`);
    return found;
  });
}

function show(all: readonly DeadLetter[], isJson: boolean): void {
  if (isJson) {
    say(JSON.stringify(all, undefined, 2));
    return;
  }
  const rows = all.map(({ id, kind, consumer, at, error, item }) => [
    id,
    kind,
    consumer,
    at,
    item,
    firstLine(error),
  ]);
  say(formatTable([['id', 'kind', 'consumer', 'at', 'item', 'error'], ...rows]));
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

async function apply(
  letters: DeadLetters,
  action: 'replay' | 'drop',
  chosen: readonly DeadLetter[],
): Promise<void> {
  for (const letter of chosen) {
    try {
      await letters[action](letter);
      say(`${letter.id}: ${action === 'replay' ? 'replayed' : 'dropped'}`);
    } catch (error) {
      complain(`${letter.id}: ${messageOf(error)}`);
      process.exitCode = 1;
    }
  }
}
