import { readFile, writeFile } from 'node:fs/promises';
import {
  compareCopy,
  parseCopy,
  restoreCopy,
  type SecretCopy,
  type SecretDifference,
  takeCopy,
  writeCopy,
} from '../../shared/platforms/aws/operations/secret-copy.ts';
import { findDeployment } from '../../shared/platforms/aws/operations/stack.ts';
import {
  confirmTyped,
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './terminal.ts';

const program: OperatorProgram = {
  name: 'secret-copy',
  usage: `Usage: npm run secret-copy -- save|check|restore FILE [options]

Keeps a copy of the master secret of a deployment on AWS outside of its account. All keys are derived
from the secret: who has the copy can make every key, and without either no key works again.

  save            writes a copy into FILE, a new file that you alone may read: move it to where you
                  keep passwords
  check           compares the copy with the deployment: it is outdated after each rotation
  restore         puts the copy in the place of what the deployment has, after a confirmation

  --stage NAME    the deployment (default: prod)
  --secret ARN    its secret, in place of a stage: the output SetUpCode of the stack names it
  --yes           restore: no confirmation
  --help          show this

Exit codes: 0 done, and the copy is current; 1 not done, or the copy is outdated; 2 the command line
makes no sense.
`,
};

await runProgram(program, async () => {
  const { values, positionals } = readCommandLine({
    allowPositionals: true,
    options: {
      stage: { type: 'string' },
      secret: { type: 'string' },
      yes: { type: 'boolean', default: false },
    },
  });
  const [command, file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new OperatorUsageError('give a command and a file');
  if (values.stage !== undefined && values.secret !== undefined) {
    throw new OperatorUsageError('--stage and --secret exclude each other');
  }
  const arn = async () => values.secret ?? (await findDeployment(values.stage ?? 'prod')).secret;
  switch (command) {
    case 'save':
      return save(await arn(), file);
    case 'check':
      return check(await arn(), file);
    case 'restore':
      return restore(await arn(), file, values.yes);
  }
  throw new OperatorUsageError('say what to do: save, check or restore');
});

async function save(arn: string, file: string): Promise<void> {
  const copy = await takeCopy(arn);
  await writeFile(file, writeCopy(copy), { flag: 'wx', mode: 0o600 }); // never over another file
  const { value } = copy;
  say(`Saved ${countOf(value.versions.length)} of ${arn} in ${file}`);
  say('Who has this file can make every key. Move it to where you keep passwords.');
}

/** Reads a copy; its content is in no message. */
async function readCopy(file: string): Promise<SecretCopy> {
  const copy = parseCopy(await readFile(file, 'utf8'));
  if (copy === undefined) throw new Error(`${file} is not a copy of a master secret`);
  return copy;
}

async function check(arn: string, file: string): Promise<void> {
  const copy = await readCopy(file);
  const { difference, cause } = await compareCopy(arn, copy);
  if (difference === undefined) throw new Error(`the secret of the deployment: ${cause}`);
  const found = inWords(difference);
  if (found.length > 0) throw new Error(`the copy of ${copy.saved} differs: ${found.join('; ')}`);
  say(`The copy of ${copy.saved} is current: ${countOf(copy.value.versions.length)}`);
}

async function restore(arn: string, file: string, isConfirmed: boolean): Promise<void> {
  const copy = await readCopy(file);
  const { difference, cause } = await compareCopy(arn, copy);
  const found = difference === undefined ? [`it cannot be read: ${cause}`] : inWords(difference);
  if (found.length === 0) {
    say(`The deployment has what the copy of ${copy.saved} has: nothing is changed`);
    return;
  }
  say(`${arn} and the copy of ${copy.saved}, of ${copy.secret}, differ: ${found.join('; ')}`);
  say('Keys of what is replaced stop working for good, within ten minutes.');
  const question = 'Type restore to replace the secret of the deployment: ';
  if (!isConfirmed && !(await confirmTyped(question, 'restore')))
    throw new Error('nothing is changed');
  await restoreCopy(arn, copy);
  say('Restored. Functions use it within ten minutes.');
}

function inWords({ onlyDeployed, onlyCopied, different }: SecretDifference): readonly string[] {
  return [
    ...versionsIn(onlyDeployed, 'only in the deployment'),
    ...versionsIn(onlyCopied, 'only in the copy'),
    ...versionsIn(different, 'with another secret'),
  ];
}

function versionsIn(versions: readonly number[], where: string): readonly string[] {
  if (versions.length === 0) return [];
  return [`version${versions.length === 1 ? '' : 's'} ${versions.join(', ')} ${where}`];
}

function countOf(versions: number): string {
  return versions === 1 ? 'one version' : `${versions} versions`;
}
