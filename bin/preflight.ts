import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runPreflight } from '../lib/preflight/preflight.ts';
import { readDeploymentSettings } from '../lib/settings.ts';
import { messageOf } from '../shared/values/caught.ts';

const usage = `Usage: npm run preflight [-- -c NAME=VALUE ...]

Checks an AWS account before a deployment: credentials, bootstrap, quotas, mail, and what an earlier
deployment of the same stage has left. It only reads. Give the same settings as to the deployment;
those in cdk.json are known.

  -c NAME=VALUE   a setting, as of npm run deploy
  --help          show this

Exit codes: 0 no error (warnings are possible); 1 a deployment would fail; 2 the command line or a
setting makes no sense.
`;

const { context, help } = readArguments();
if (help) {
  process.stdout.write(usage);
} else {
  const findings = await runPreflight(readSettings(), String(context.cdn) !== 'false');
  for (const { level, about, text } of findings) {
    process.stdout.write(`${level.padEnd(7)}  ${about}: ${text}\n`);
  }
  process.exitCode = findings.some(({ level }) => level === 'error') ? 1 : 0;
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        context: { type: 'string', short: 'c', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    });
    return { help: values.help, context: { ...readContext(), ...toContext(values.context) } };
  } catch (error) {
    return fail(messageOf(error));
  }
}

/** Reads the settings of the files that the CDK reads too. */
function readContext(): Record<string, unknown> {
  const read = (name: string) => (existsSync(name) ? JSON.parse(readFileSync(name, 'utf8')) : {});
  return { ...read('cdk.context.json'), ...read('cdk.json').context };
}

function toContext(given: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    given.map((each) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
      return name === undefined ? fail(`-c takes NAME=VALUE, not ${each}`) : [name, value];
    }),
  );
}

function readSettings() {
  try {
    return readDeploymentSettings({ tryGetContext: (name: string) => context[name] });
  } catch (error) {
    return fail(messageOf(error));
  }
}

function fail(reason: string): never {
  process.stderr.write(`preflight: ${reason} (see --help)\n`);
  process.exit(2);
}
