import { execFileSync } from 'node:child_process';

let found: boolean | undefined;

/** Checks whether pip reaches an index of packages. Prints a line for what is skipped without it. */
export function reachesPackageIndex(skipped: string): boolean {
  found ??= asksIndex();
  if (!found) process.stdout.write(`skipped: ${skipped}, because PyPI cannot be reached\n`);
  return found;
}

/** Asks for a package that would be written where nothing can be written: that error comes after the response. */
function asksIndex(): boolean {
  const args = ['-m', 'pip', 'download', '-q', '--no-deps', '-d', '/dev/null/x', 'idna'];
  try {
    execFileSync('python3', args, { stdio: 'pipe', timeout: 20_000 });
    return true;
  } catch (error) {
    return /Not a directory/.test(String((error as { stderr?: Buffer }).stderr));
  }
}
