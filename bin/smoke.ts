import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../shared/clients/client.ts';
import { messageOf } from '../shared/values/caught.ts';
import {
  type OperatorProgram,
  OperatorUsageError,
  readCommandLine,
  runProgram,
  say,
} from './operator/terminal.ts';
import { runSmoke } from './smoke/run.ts';

const program: OperatorProgram = {
  name: 'smoke',
  usage: `Usage: npm run smoke -- URL [CODE] [options]

Tries a server, a deployment on AWS or one of npm start: account, instance, class, file, batch, filter,
scripts, trigger, channel, push and usage; of a deployment, it tells which function served each family of
paths. It prints each step with its time, and deletes the instance that it made. An account stays: accounts
cannot be deleted.

  URL             address of the server, without /v1.1
  CODE            set-up code or invitation, for registration where that is closed
  --email E       the account to register, or with --login to use
                  (default: a new address of example.com)
  --password P    its password (default: a random one, which is printed)
  --login         use an account that exists
  --fcm FILE      a service account of FCM, to send a push with; a dummy without it, which AWS rejects
  --help          show this

Exit codes: 0 all steps passed; 1 a step failed; 2 the command line makes no sense.
`,
};

await runProgram(program, async () => {
  const { values, positionals } = readCommandLine({
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      password: { type: 'string' },
      login: { type: 'boolean', default: false },
      fcm: { type: 'string' },
    },
  });
  const [url = '', code, ...more] = positionals;
  if (!/^https?:\/\//.test(url) || more.length > 0) {
    throw new OperatorUsageError('give a URL, and a code if it is needed');
  }
  if (values.login && (!values.email || !values.password)) {
    throw new OperatorUsageError('--login takes --email and --password');
  }
  const suffix = randomBytes(4).toString('hex');
  const account = {
    email: values.email ?? `smoke-${suffix}@example.com`,
    password: values.password ?? randomBytes(12).toString('base64url'),
    isKnown: values.login,
    code,
  };
  if (!values.login) say(`The account is ${account.email}`);
  if (values.password === undefined) say(`Its password is ${account.password}`);
  const name = `smoke-${suffix}`;
  const world = {
    send: openClient(url),
    url,
    name,
    instance: `/v1.1/instances/${name}/`,
    account,
    fcm: values.fcm === undefined ? undefined : readCredential(values.fcm),
    pause: () => pause(300),
    keys: {},
  };
  if (!(await runSmoke(world, say))) process.exitCode = 1;
});

function readCredential(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OperatorUsageError(`--fcm: ${messageOf(error)}`);
  }
}
