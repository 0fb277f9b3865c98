import type { FileKey } from '../shared/values/file-keys.ts';
import { openFolderFiles } from './operator/folder-files.ts';
import { findMissingFiles, type StoredFiles, showMissing } from './operator/missing-files.ts';
import {
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './operator/terminal.ts';

const program: OperatorProgram = {
  name: 'missing-files',
  usage: `Usage: npm run missing-files -- [options]

Lists the records whose file is gone: file fields of objects, sources of scripts, values of
traces, backups. Changes nothing.

  --data DIR      the data folder of a local server, which may be running (default ./.groundwork)
  --stage NAME    a deployment on AWS, in place of a folder: reads the whole table twice, and
                  lists the bucket, which is charged
  --json          as JSON
  --help          show this

Exit codes: 0 nothing is missing; 1 a file is missing, or it could not be checked; 2 the command
line makes no sense.
`,
};

await runProgram(program, async () => {
  const { values } = readCommandLine({
    options: {
      json: { type: 'boolean', default: false },
      data: { type: 'string' },
      stage: { type: 'string' },
    },
  });
  const { data, stage, json } = values;
  if (data !== undefined && stage !== undefined) {
    throw new OperatorUsageError('--data and --stage exclude each other');
  }
  const stored =
    stage === undefined
      ? await openFolderFiles(data ?? '.groundwork')
      : await openDeployedFiles(stage);
  const missing = await findMissingFiles(stored).finally(() => stored.close());
  say(json ? JSON.stringify(missing, undefined, 2) : showMissing(missing));
  if (missing.length > 0) process.exitCode = 1;
});

/** Opens the records and files of a deployment on AWS: reads the whole table twice, and lists the bucket. */
async function openDeployedFiles(stage: string): Promise<StoredFiles & { close(): Promise<void> }> {
  const { findDeployment } = await import('../shared/platforms/aws/operations/stack.ts');
  const { readBucket } = await import('../shared/platforms/aws/operations/read-bucket.ts');
  const { createClient } = await import('../shared/platforms/aws/store/client.ts');
  const { scanTable } = await import('../shared/platforms/aws/operations/scan.ts');
  const { openStore } = await import('../shared/platforms/aws/store/store.ts');
  const { openFiles } = await import('../shared/platforms/aws/files.ts');
  const { table, bucket } = await findDeployment(stage);
  const client = createClient();
  const keys: ReadonlySet<string> = await readBucket(bucket);
  return {
    store: openStore({ table, client, now: () => Date.now() / 1000 }),
    files: openFiles({ bucket, address: '' }),
    has: (key: FileKey) => keys.has(key),
    walk: (kinds, take) => scanTable({ client, table }, kinds, { take, progress: () => undefined }),
    close: async () => client.destroy(),
  };
}
