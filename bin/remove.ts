import { planDeploymentRemoval } from '../shared/platforms/aws/operations/remove.ts';
import {
  confirmTyped,
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './operator/terminal.ts';

const program: OperatorProgram = {
  name: 'remove',
  usage: `Usage: npm run remove -- --stage NAME [options]

Deletes a deployment from the account and region of your AWS credentials: the functions of scripts
and their logs, push applications, the stack, and all data. It lists all of it first.

  --stage NAME    the stage, as it was deployed
  --keep-data     keeps the table, the bucket, the secret and the key
  --yes           no confirmation
  --help          show this

It can be repeated: it deletes what an earlier run has left. The secret and the key can be restored
for seven days, the table for 35 days from the backup that DynamoDB makes.

Exit codes: 0 all is deleted; 1 something is left; 2 the command line makes no sense.
`,
};

await runProgram(program, async () => {
  const { values } = readCommandLine({
    options: {
      stage: { type: 'string' },
      'keep-data': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  });
  const { stage, 'keep-data': keepData, yes } = values;
  if (stage === undefined || !/^[a-z][a-z0-9-]{0,19}$/.test(stage)) {
    throw new OperatorUsageError('--stage takes the name of a stage');
  }
  const plan = await planDeploymentRemoval({ stage, keepData, say });
  if (plan.lines.length === 0) return say(`Nothing is left of the stage ${stage}.`);
  say('To be deleted:');
  for (const line of plan.lines) say(`  ${line}`);
  if (!yes && !(await confirmTyped(`Type ${stage} to delete all of it: `, stage))) {
    throw new Error('nothing is deleted');
  }
  const failures = await plan.run();
  if (failures > 0) throw new Error(`${failures} deletions have failed: run it again`);
  say(`The stage ${stage} is deleted${keepData ? ', except its data' : ''}.`);
});
