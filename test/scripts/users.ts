import { execFileSync } from 'node:child_process';

/** A user whose server runs scripts: the test's own, or an ordinary one if the test is run by root. */
export interface User {
  readonly name: string;
  /** Undefined for the test's own. */
  readonly user: number | undefined;
}

const isRoot = process.getuid?.() === 0;
const ordinary = 1000;

/** The users that this machine can start servers of. */
export const users: readonly User[] = [
  { name: isRoot ? 'root' : 'this user', user: undefined },
  ...(isRoot && canBecome(ordinary) ? [{ name: 'an ordinary user', user: ordinary }] : []),
];

/** Checks whether another user can execute Node and the program; explains otherwise. */
function canBecome(user: number): boolean {
  const become = ['--reuid', String(user), '--regid', String(user), '--clear-groups'];
  const read = `require('fs').readFileSync(${JSON.stringify(import.meta.filename)})`;
  try {
    execFileSync('setpriv', [...become, process.execPath, '-e', read], { stdio: 'ignore' });
    return true;
  } catch {
    process.stdout.write(
      'skipped: servers of an ordinary user, who cannot execute Node or read these files\n',
    );
    return false;
  }
}
