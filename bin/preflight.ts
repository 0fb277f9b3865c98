import { existsSync, readFileSync } from 'node:fs';
import { runPreflight } from '../lib/preflight/preflight.ts';
import { type DeploymentSettings, readDeploymentSettings } from '../lib/settings.ts';
import { messageOf } from '../shared/values/caught.ts';
import {
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './operator/terminal.ts';

const program: OperatorProgram = {
  name: 'preflight',
  usage: `Usage: npm run preflight [-- -c NAME=VALUE ...]

Checks an AWS account before a deployment: credentials, bootstrap, quotas, mail, and what an earlier
deployment of the same stage has left. It only reads. Give the same settings as to the deployment;
those in cdk.json are known.

  -c NAME=VALUE   a setting, as of npm run deploy
  --help          show this

Exit codes: 0 no error (warnings are possible); 1 a deployment would fail; 2 the command line or a
setting makes no sense.
`,
};

await runProgram(program, async () => {
  const { values } = readCommandLine({
    options: { context: { type: 'string', short: 'c', multiple: true, default: [] } },
  });
  const findings = await runPreflight(settingsOf(values.context));
  for (const { level, about, text } of findings) {
    say(`${level.padEnd(7)}  ${about}: ${text}`);
  }
  if (findings.some(({ level }) => level === 'error')) process.exitCode = 1;
});

/** Returns the settings that the CDK would read from these arguments and its files. */
function settingsOf(given: readonly string[]): DeploymentSettings {
  const read = (name: string) => (existsSync(name) ? JSON.parse(readFileSync(name, 'utf8')) : {});
  const context: Record<string, unknown> = {
    ...read('cdk.context.json'),
    ...read('cdk.json').context,
    ...Object.fromEntries(given.map(toEntry)),
  };
  try {
    return readDeploymentSettings({ tryGetContext: (name: string) => context[name] });
  } catch (error) {
    throw new OperatorUsageError(messageOf(error));
  }
}

function toEntry(given: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) {
    throw new OperatorUsageError(`-c takes NAME=VALUE, not ${given}`);
  }
  return [name, value];
}
