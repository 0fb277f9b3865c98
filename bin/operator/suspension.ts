import type { Suspension, SuspensionRequest } from '../../shared/instances/suspension.ts';
import { describeSuspensions } from './suspension-table.ts';
import {
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './terminal.ts';

const program: OperatorProgram = {
  name: 'suspension',
  usage: `Usage: npm run suspension -- suspend|resume|list [INSTANCE] [options]

Stops one tenant: all requests to the instance get 403, except those of its owner that read or
export; its schedules, triggers and pushes do not run. Nothing is deleted. A running server or
deployment knows of it with the next request.

  suspend INSTANCE  stops the instance with this name
  resume INSTANCE   ends that
  list              lists the suspended instances, with time and reason

  --reason TEXT     suspend: a note for operators, which no client sees
  --json            list: as JSON
  --data DIR        the data folder of a local server (default ./.groundwork), running or not
  --stage NAME      a deployment on AWS, in place of a folder
  --table NAME      its table, in place of a stage: the output TableName of the stack
  --help            show this

Exit codes: 0 done; 1 not done, nothing is changed; 2 the command line makes no sense.
`,
};

/** Where the instances are. */
interface Suspensions {
  change(request: SuspensionRequest): Promise<void>;
  list(): Promise<readonly Suspension[]>;
  close(): Promise<void>;
}

await runProgram(program, async () => {
  const { values, positionals } = readCommand();
  const request = requestOf(positionals, values);
  const suspensions = await open(values);
  try {
    if (request === undefined) show(await suspensions.list(), values.json);
    else {
      await suspensions.change(request);
      say(`${request.instance}: ${request.action === 'resume' ? 'resumed' : 'suspended'}`);
    }
  } finally {
    await suspensions.close();
  }
});

type Values = ReturnType<typeof readCommand>['values'];

function readCommand() {
  return readCommandLine({
    allowPositionals: true,
    options: {
      reason: { type: 'string' },
      json: { type: 'boolean', default: false },
      data: { type: 'string' },
      stage: { type: 'string' },
      table: { type: 'string' },
    },
  });
}

/** Returns the change that is wanted; undefined: the list is. */
function requestOf(
  [command, instance, ...more]: readonly string[],
  { reason, json }: Values,
): SuspensionRequest | undefined {
  if (command !== 'suspend' && reason !== undefined) {
    throw new OperatorUsageError('only suspend takes --reason');
  }
  if (command === 'list') {
    if (instance !== undefined) throw new OperatorUsageError('list takes no instance');
    return undefined;
  }
  if (json) throw new OperatorUsageError('only list takes --json');
  if (command !== 'suspend' && command !== 'resume') {
    throw new OperatorUsageError('say what to do: suspend, resume or list');
  }
  if (instance === undefined || more.length > 0) {
    throw new OperatorUsageError(`${command} takes the name of an instance`);
  }
  return command === 'suspend'
    ? { action: 'suspend', instance, reason }
    : { action: 'resume', instance };
}

async function open({ data, stage, table }: Values): Promise<Suspensions> {
  const given = Object.entries({ data, stage, table }).filter(([, one]) => one !== undefined);
  if (given.length > 1) {
    throw new OperatorUsageError(
      `--${given.map(([name]) => name).join(' and --')} exclude each other`,
    );
  }
  if (stage === undefined && table === undefined) return openFolder(data ?? '.groundwork');
  const { openSuspensions } = await import('../../shared/platforms/aws/operations/suspend.ts');
  if (table !== undefined) return openSuspensions(table);
  const { findDeployment } = await import('../../shared/platforms/aws/operations/stack.ts');
  return openSuspensions((await findDeployment(stage ?? '')).table);
}

async function openFolder(folder: string): Promise<Suspensions> {
  const { changeFolderSuspension, listFolderSuspensions } = await import(
    '../../shared/platforms/local/operations/suspend.ts'
  );
  return {
    change: (request) => changeFolderSuspension(folder, request),
    list: () => listFolderSuspensions(folder),
    close: () => Promise.resolve(),
  };
}

function show(all: readonly Suspension[], isJson: boolean): void {
  say(isJson ? JSON.stringify(all, undefined, 2) : describeSuspensions(all));
}
