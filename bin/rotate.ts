import {
  type CredentialCounts,
  countedKinds,
  credentialKinds,
  noCredentials,
  openCredentialCounts,
} from '../shared/accounts/credential-counts.ts';
import { currentOf, type MasterSecrets } from '../shared/accounts/rules/master-secrets.ts';
import type { Stored } from '../shared/store/store.ts';
import {
  complain,
  confirmTyped,
  formatTable,
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './operator/terminal.ts';

const program: OperatorProgram = {
  name: 'rotate',
  usage: `Usage: npm run rotate -- add|status|retire N [options]

Changes the master secret, from which all keys are derived.

  add             adds a version. New keys and keys that are reset use it, within a minute on one
                  machine, after a minute and a half on AWS; those before live on with theirs
  status          lists the versions, and the number of credentials that still use each
  retire N        removes version N, after a confirmation: credentials that use it stop working,
                  within a minute on one machine, within ten minutes on AWS

  --data DIR      the data folder of a local server (default ./.groundwork)
  --stage NAME    a deployment on AWS, in place of a folder
  --secret ARN    the secret of a deployment on AWS, in place of a stage: the output SetUpCode
                  of the stack names it
  --table NAME    the table of that deployment, to count credentials: the output TableName
  --now           add: on AWS too, new keys use the version at once. Only while no function is
                  used: one that has not read the version yet rejects them
  --yes           retire: no confirmation
  --help          show this

Exit codes: 0 done; 1 not done, nothing is changed; 2 the command line makes no sense.
`,
};

/** The master secret of a deployment or a data folder. */
interface SecretHolder {
  readonly name: string;
  /** Returns what the operator is told. */
  add(isAtOnce: boolean): Promise<string>;
  read(): Promise<MasterSecrets>;
  retire(version: number): Promise<void>;
  /** Absent when it is unknown where the credentials are. */
  walk?: (to: Walk) => Promise<void>;
}

interface Walk {
  readonly take: (item: Stored) => void;
  readonly progress: (read: number) => void;
}

type Arguments = ReturnType<typeof readCommand>;

await runProgram(program, async () => {
  const { values, positionals } = readCommand();
  const [command, version] = positionals;
  switch (command) {
    case 'add':
    case 'status':
      if (positionals.length > 1) break;
      return run(command, await holderOf(values), values);
    case 'retire': {
      if (positionals.length !== 2) break;
      const retired = Number(version);
      if (!Number.isInteger(retired))
        throw new OperatorUsageError('retire takes the number of a version');
      return retire(await holderOf(values), retired, values.yes);
    }
  }
  throw new OperatorUsageError('say what to do: add, status, or retire and a version');
});

function readCommand() {
  return readCommandLine({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      stage: { type: 'string' },
      secret: { type: 'string' },
      table: { type: 'string' },
      now: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  });
}

async function holderOf({
  data,
  stage,
  secret,
  table,
}: Arguments['values']): Promise<SecretHolder> {
  const given = Object.entries({ data, stage, secret }).filter(([, one]) => one !== undefined);
  if (given.length > 1) {
    throw new OperatorUsageError(
      `--${given.map(([name]) => name).join(' and --')} exclude each other`,
    );
  }
  if (data === '') throw new OperatorUsageError('--data takes a folder');
  if (secret !== undefined && !secret.startsWith('arn:')) {
    throw new OperatorUsageError('--secret takes an ARN');
  }
  if (stage === undefined && secret === undefined) return localHolder(data ?? '.groundwork');
  if (secret !== undefined) return deployedHolder({ secret, table });
  const { findDeployment } = await import('../shared/platforms/aws/operations/stack.ts');
  return deployedHolder(await findDeployment(stage ?? ''));
}

async function localHolder(folder: string): Promise<SecretHolder> {
  const secrets = await import('../shared/platforms/local/secrets.ts');
  return {
    name: folder,
    add: async () =>
      `Added version ${await secrets.addSecretVersion(folder)} to the master secret of ${folder}`,
    read: () => secrets.readFolderSecrets(folder),
    retire: (version) => secrets.retireSecretVersion(folder, version),
    walk: async (to) => {
      const { openStoreReader } = await import('../shared/platforms/local/store/read-only.ts');
      const store = await openStoreReader(folder);
      await store.walk(countedKinds, to).finally(() => store.close());
    },
  };
}

async function deployedHolder({
  secret,
  table,
}: {
  readonly secret: string;
  readonly table: string | undefined;
}): Promise<SecretHolder> {
  const { addDeployedVersion, retireDeployedVersion } = await import(
    '../shared/platforms/aws/rotate-secret.ts'
  );
  const { clientOf, fetchSecrets } = await import('../shared/platforms/aws/secrets.ts');
  return {
    name: secret,
    add: async (isAtOnce) => {
      const { version, from } = await addDeployedVersion(secret, { isAtOnce });
      const when = isAtOnce ? 'now' : new Date(from).toISOString();
      return `Added version ${version} to the master secret of ${secret}; new keys use it from ${when}`;
    },
    read: async () => (await fetchSecrets(clientOf(secret), secret)).secrets,
    retire: (version) => retireDeployedVersion(secret, version),
    ...(table !== undefined && {
      walk: async (to: Walk) => {
        const { createClient } = await import('../shared/platforms/aws/store/client.ts');
        const { scanTable } = await import('../shared/platforms/aws/operations/scan.ts');
        const client = createClient(regionOf(secret));
        await scanTable({ client, table }, countedKinds, to).finally(() => client.destroy());
      },
    }),
  };
}

function regionOf(arn: string): { readonly region?: string } {
  const region = arn.split(':')[3];
  return region === undefined ? {} : { region };
}

async function run(command: 'add' | 'status', holder: SecretHolder, { now }: Arguments['values']) {
  if (command === 'add') say(await holder.add(now));
  else await showStatus(holder);
}

async function showStatus(holder: SecretHolder): Promise<void> {
  const secrets = await holder.read();
  const counts = await countAll(holder);
  const numbers = new Set([...secrets.versions.map(({ version }) => version), ...counts.keys()]);
  const rows = [...numbers]
    .sort((one, other) => one - other)
    .map((version) => [
      String(version),
      stateOf(secrets, version),
      ...credentialKinds.map((kind) => String((counts.get(version) ?? noCredentials())[kind])),
    ]);
  say(formatTable([['version', 'state', ...credentialKinds], ...rows]));
}

function stateOf({ versions, next, ...secrets }: MasterSecrets, version: number): string {
  if (versions.every((one) => one.version !== version)) return 'retired';
  const nowMs = Date.now();
  if (currentOf({ ...secrets, next }, nowMs) === version) return 'new keys use it';
  if (next?.version === version) return `new keys use it from ${new Date(next.from).toISOString()}`;
  return 'old';
}

async function countAll(holder: SecretHolder): Promise<CredentialCounts> {
  if (holder.walk === undefined)
    throw new OperatorUsageError('--secret needs --table, to count credentials');
  const { counts, take } = openCredentialCounts();
  let shown = 0;
  await holder.walk({
    take,
    progress: (read) => {
      if (read - shown < 100_000) return;
      shown = read;
      complain(`${read} items read`);
    },
  });
  return counts;
}

async function retire(holder: SecretHolder, version: number, isConfirmed: boolean): Promise<void> {
  const state = stateOf(await holder.read(), version);
  if (state === 'retired') throw new Error(`${holder.name} has no version ${version}`);
  if (state !== 'old') throw new Error(`version ${version} cannot be removed: ${state}`);
  const used = (await countAll(holder)).get(version) ?? noCredentials();
  const parts = credentialKinds
    .filter((kind) => used[kind] > 0)
    .map((kind) => `${used[kind]} ${kind}`);
  const loss = parts.length > 0 ? parts.join(', ') : 'no credentials';
  say(`Version ${version} of the master secret of ${holder.name}: ${loss}`);
  if (!isConfirmed) {
    const question = `They stop working for good. Type ${version} to remove the version: `;
    if (!(await confirmTyped(question, String(version)))) throw new Error('nothing is changed');
  }
  await holder.retire(version);
  say(`Removed version ${version}`);
}
