import { setUpCode } from '../shared/accounts/keys.ts';
import { openDeployedSecrets } from '../shared/platforms/aws/secrets.ts';
import { messageOf } from '../shared/values/caught.ts';
import { complain, say } from './operator/terminal.ts';

const arn = process.argv[2] ?? '';
if (!arn.startsWith('arn:')) {
  fail('give the ARN of the secret: the output SetUpCode of the stack is the whole command', 2);
}
try {
  const code = await setUpCode(openDeployedSecrets(arn));
  say(code);
} catch (error) {
  fail(messageOf(error), 1);
}

function fail(reason: string, code: 1 | 2): never {
  complain(`set-up-code: ${reason}`);
  process.exit(code);
}
