import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { processVariables } from '../../shared/ports/setting-variables.ts';
import { approvalArguments } from './approval.ts';
import { complain } from './terminal.ts';

/*
 * `cdk deploy` with the arguments of the command line. A person at a terminal is asked about changes of permissions;
 * where nobody can be asked, as in CI, the CDK would end with an error.
 */

const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
const given = process.argv.slice(2);
const hasTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
const added = approvalArguments(given, { hasTerminal, isCi: Boolean(processVariables().CI) });
if (added.length > 0) {
  complain('deploy: nobody can be asked here: changes of permissions are approved');
}
const { status } = spawnSync(process.execPath, [cdk, 'deploy', ...added, ...given], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1; // null: a signal has ended it
