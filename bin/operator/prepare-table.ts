import { setTimeout as sleep } from 'node:timers/promises';
import { prepareTable } from '../../shared/platforms/aws/operations/prepare-table.ts';
import { createClient } from '../../shared/platforms/aws/store/client.ts';
import {
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './terminal.ts';

const program: OperatorProgram = {
  name: 'prepare-table',
  usage: `Usage: npm run prepare-table -- TABLE

Gives a table that DynamoDB has restored what a restore leaves out: the stream, deletion protection,
expiry of items and continuous backups. Waits for the table, and prints the settings with which a
deployment adopts it. It may run again: what the table has stays.

  --help   show this

Exit codes: 0 the table is ready; 1 it is not; 2 the command line makes no sense.
`,
};

await runProgram(program, async () => {
  const { positionals } = readCommandLine({ allowPositionals: true, options: {} });
  const [table, ...more] = positionals;
  if (table === undefined || more.length > 0)
    throw new OperatorUsageError('give the name of a table');
  const client = createClient();
  const onChange = (text: string) => say(`adds ${text}`);
  const options = { client, table, sleep, onChange };
  const { tableArn, tableStreamArn } = await prepareTable(options).finally(() => client.destroy());
  say(`${table} is ready. Deploy with:`);
  say(`npm run deploy -- -c tableArn=${tableArn} -c tableStreamArn=${tableStreamArn}`);
});
