import type { Host } from '../hosts.ts';
import type { Case } from './case.ts';

/** Result of a case that ran with others; the outputs of cases after an error are absent. */
export interface PartialResult {
  readonly status: string;
  readonly stdout: string | undefined;
  readonly stderr: string | undefined;
}

const end = 'the end of a case';
const separator = ['stdout', 'stderr']
  .map((stream) => `\nprint('\\n${end}', file=__import__('sys').${stream}, flush=True)`)
  .join('');

/** Checks whether a Python case can be part of a script with others: it has no input, only prints, and succeeds. */
export function canJoin({ source: _, name: __, inPyodide: ___, ...terms }: Case): boolean {
  return Object.keys(terms).every((term) => term === 'stdout' || term === 'stderr');
}

/** Runs Python cases as one script, in order, with the same globals; returns their results by name. */
export async function runTogether(
  host: Host,
  cases: readonly Case[],
): Promise<ReadonlyMap<string, PartialResult>> {
  const source = cases.map((each) => each.source).join(`${separator}\n`);
  const { status, ...streams } = await host.run({ source });
  const [stdout, stderr] = [streams.stdout, streams.stderr].map((text) =>
    text.split(new RegExp(`\n${end}\n?`)).map((part) => part.replace(/\n+$/, '')),
  );
  return new Map(
    cases.map(({ name }, at) => [name, { status, stdout: stdout?.[at], stderr: stderr?.[at] }]),
  );
}
