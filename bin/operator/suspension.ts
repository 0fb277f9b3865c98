import {
  changeSuspension,
  type SuspendedInstance,
  type SuspensionChange,
  suspensionIn,
  suspensionKinds,
} from '../../shared/instances/suspension.ts';
import { openIds } from '../../shared/platform/ids.ts';
import {
  formatTable,
  type OperatorProgram,
  readArguments,
  runProgram,
  say,
  UsageError,
} from './terminal.ts';

const program: OperatorProgram = {
  name: 'suspension',
  usage: `Usage: npm run suspension -- suspend|resume NAME, or list, with options

Stops one instance at once, and starts it again. Every request to a suspended instance gets 403, and no
script, schedule, trigger or push of it runs; its owner may still read and back up. Nothing is deleted.

  suspend NAME    stops the instance; a second time, with another reason
  resume NAME     ends that. Times of schedules that passed meanwhile are counted as missed
  list            lists the suspended instances. On AWS it reads the whole table, which is charged

  --reason TEXT   suspend: why, for operators; no response shows it
  --data DIR      the data folder of a local server (default ./.groundwork), also while it runs
  --stage NAME    a deployment on AWS, in place of a folder
  --table NAME    its table, in place of a stage: the output TableName
  --help          show this

Exit codes: 0 done; 1 not done, nothing is changed; 2 the command line makes no sense.
`,
};

/** Where instances are suspended. */
interface Place {
  change(change: SuspensionChange): Promise<void>;
  list(): Promise<readonly SuspendedInstance[]>;
}

const maxReason = 1000; // characters

await runProgram(program, async () => {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: {
      reason: { type: 'string', default: '' },
      data: { type: 'string' },
      stage: { type: 'string' },
      table: { type: 'string' },
    },
  });
  const { data, stage, table, reason } = values;
  if ([data, stage, table].filter((one) => one !== undefined).length > 1) {
    throw new UsageError('--data, --stage and --table exclude each other');
  }
  if (reason.length > maxReason)
    throw new UsageError(`--reason has at most ${maxReason} characters`);
  const isLocal = stage === undefined && table === undefined;
  const place = isLocal ? localPlace(data ?? '.groundwork') : deployedPlace({ stage, table });
  const [action, name, ...more] = positionals;
  if (action === 'list' && name === undefined) return show(await place.list());
  if (name === undefined || more.length > 0) {
    throw new UsageError('say what to do: suspend or resume and a name, or list');
  }
  if (action === 'suspend') {
    await place.change({ action, name, reason });
    say(`${name} is suspended`);
  } else if (action === 'resume') {
    await place.change({ action, name });
    say(`${name} is not suspended any more`);
  } else throw new UsageError('say what to do: suspend, resume or list');
});

function show(found: readonly SuspendedInstance[]): void {
  if (found.length === 0) say('no instance is suspended');
  else
    say(
      formatTable([
        ['instance', 'since', 'reason'],
        ...found.map(({ name, since, reason }) => [name, since, reason]),
      ]),
    );
}

function localPlace(folder: string): Place {
  const operations = import('../../shared/platform/local/operations/suspension.ts');
  return {
    change: async (change) => (await operations).changeFolderSuspension(folder, change),
    list: async () => (await operations).listFolderSuspensions(folder),
  };
}

interface Deployed {
  readonly stage: string | undefined;
  readonly table: string | undefined;
}

function deployedPlace(at: Deployed): Place {
  return {
    change: async (change) => {
      const { openStore } = await import('../../shared/platform/aws/store/store.ts');
      const { client, table } = await openTable(at);
      const store = openStore({ table, client, now: Date.now });
      await changeSuspension({ store, ids: openIds() }, change, Date.now()).finally(() =>
        store.close(),
      );
    },
    list: async () => {
      const { scanTable } = await import('../../shared/platform/aws/operations/scan.ts');
      const opened = await openTable(at);
      const found: SuspendedInstance[] = [];
      const take = (item: Parameters<typeof suspensionIn>[0]) => {
        const one = suspensionIn(item);
        if (one !== undefined) found.push(one);
      };
      await scanTable(opened, suspensionKinds, { take, progress: () => undefined }).finally(() =>
        opened.client.destroy(),
      );
      return found;
    },
  };
}

async function openTable({ stage = '', table }: Deployed) {
  const { findDeployment } = await import('../../shared/platform/aws/operations/stack.ts');
  const { createClient } = await import('../../shared/platform/aws/store/client.ts');
  return { client: createClient(), table: table ?? (await findDeployment(stage)).table };
}
