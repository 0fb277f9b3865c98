import { setTimeout as sleep } from 'node:timers/promises';
import { rehearseRestore } from '../../shared/platforms/aws/operations/rehearse-restore.ts';
import { findDeployment } from '../../shared/platforms/aws/operations/stack.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import {
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './terminal.ts';

const program: OperatorProgram = {
  name: 'rehearse-restore',
  usage: `Usage: npm run rehearse-restore -- [options]

Restores the table of a deployment on AWS under another name, prepares it for adoption, reads it as a
deployment would, deletes it, and says how long that took: as long as a restore takes. The deployment goes
on and is only read. It is charged as a restore, about 0.15 USD per GB, and as a scan of the copy.

  --stage NAME   the deployment (default: prod)
  --table NAME   its table, in place of a stage: the output TableName
  --to TIME      the time to restore to, such as 2026-01-31T12:00:00Z (default: the latest there is)
  --help         show this

Exit codes: 0 it can be restored; 1 it cannot, or not now; 2 the command line makes no sense.
`,
};

await runProgram(program, async () => {
  const { values } = readCommandLine({
    options: { stage: { type: 'string' }, table: { type: 'string' }, to: { type: 'string' } },
  });
  if (values.stage !== undefined && values.table !== undefined) {
    throw new OperatorUsageError('--stage and --table exclude each other');
  }
  const to = values.to === undefined ? undefined : new Date(values.to);
  if (to !== undefined && Number.isNaN(to.getTime())) {
    throw new OperatorUsageError('--to takes a time, such as 2026-01-31T12:00:00Z');
  }
  const table = values.table ?? (await findDeployment(values.stage ?? 'prod')).table;
  const copy = `${table}-rehearsal-${Date.now().toString(36)}`;
  say(`Restores ${table} as ${copy}. If this command is interrupted, delete that table yourself.`);
  const client = createClient();
  const found = await rehearseRestore({
    client,
    table,
    copy,
    ...(to && { to }),
    sleep,
    nowMs: Date.now,
    onStep: (step, ms) => say(`${duration(ms)}  ${step}`),
  }).finally(() => client.destroy());
  const { instances, items, bytes, totalMs } = found;
  say(`The copy had ${instances} instances; DynamoDB counted ${items} items, ${bytes} bytes.`);
  say(
    `From the request to a table to adopt: ${duration(totalMs).trim()}. A deployment comes on top of that.`,
  );
});

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`.padStart(12);
}
