import { parseArgs } from 'node:util';
import { addDeployedVersion } from '../shared/platform/aws/rotate-secret.ts';
import { addSecretVersion } from '../shared/platform/local/secrets.ts';
import { messageOf } from '../shared/values/caught.ts';

const usage = `Usage: npm run rotate -- add [options]

Adds a version to the master secret, from which all keys are derived. New keys and keys that are
reset use it, within a minute where servers or functions run; those before live on with theirs.

  --data DIR      the data folder of a local server (default ./.groundwork)
  --secret ARN    the secret of a deployment on AWS, in place of a folder: the output SetUpCode
                  of the stack names it
  --help          show this

Exit codes: 0 added; 1 not added, nothing is changed; 2 the command line makes no sense.
`;

await run().catch((error: unknown) => {
  fail(messageOf(error), 1);
});

async function run(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return void process.stdout.write(usage);
  const { data, secret } = values;
  if (positionals.length !== 1 || positionals[0] !== 'add') fail('say what to do: add', 2);
  if (data !== undefined && secret !== undefined) fail('--data and --secret exclude each other', 2);
  if (data === '') fail('--data takes a folder', 2);
  if (secret !== undefined && !secret.startsWith('arn:')) fail('--secret takes an ARN', 2);
  const place = secret ?? data ?? '.groundwork';
  const version = await (secret === undefined
    ? addSecretVersion(place)
    : addDeployedVersion(place));
  process.stdout.write(`Added version ${version} to the master secret of ${place}\n`);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        data: { type: 'string' },
        secret: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail(messageOf(error), 2);
  }
}

function fail(reason: string, code: 1 | 2): never {
  process.stderr.write(`rotate: ${reason}${code === 2 ? ' (see --help)' : ''}\n`);
  process.exit(code);
}
