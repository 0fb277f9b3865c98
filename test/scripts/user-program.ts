import { readFileSync } from 'node:fs';
import { openProcesses } from '../../shared/platform/local/scripts/processes.ts';
import { openScripts } from '../../shared/platform/local/scripts/scripts.ts';
import { openTemplates } from '../../shared/platform/local/templates.ts';
import { descendantsOf, listProcesses } from '../support/processes.ts';

/*
 * Runs scripts and renders a template like a server of the user who starts this program, and prints an `Observation` as
 * JSON. The input in standard input is a `Task`.
 */

/** What to run. */
export interface Task {
  readonly level?: 'bubblewrap' | 'landlock' | 'flags' | undefined;
  readonly folder: string;
  readonly args: unknown;
  /** Sources by runtime. */
  readonly sources: { readonly node: string; readonly python: string };
}

/** What has run, and as whom. */
export interface Observation {
  readonly description: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** Users and effective capabilities, for the kernel, of processes that ran scripts and templates. */
  readonly users: readonly string[];
}

const { level, folder, args, sources }: Task = JSON.parse(readFileSync(0, 'utf8'));
const processes = openProcesses({ isolation: { network: true, level }, slots: 6, folder });
const scripts = openScripts({ processes });
const description = await scripts.describe();
const input = { instance: 1, owner: 1, version: 1, args, config: {}, meta: {} };
const limits = { timeoutMs: 60_000, waitMs: 60_000, isAwaited: true };

const watchMs = 6000;
const startMs = 2000; // a process of root is another user's after it has read its program

/** Runs a script and returns what it printed, or why it did not run. */
async function run(runtime: 'node' | 'python', script: number, source: string): Promise<string> {
  const outcome = await scripts.run({
    ...input,
    ...limits,
    runtime,
    script,
    source: async () => source,
  });
  if (!('stdout' in outcome)) return outcome.status;
  return `${outcome.stdout}\n${outcome.stderr}\n${outcome.status}`;
}

const outputs = {
  node: await run('node', 1, sources.node),
  python: await run('python', 2, sources.python),
};
const waits = [
  run('node', 3, `setTimeout(() => {}, ${watchMs})`),
  run('python', 4, `import time\ntime.sleep(${watchMs / 1000})`),
  openTemplates(processes, 1000).render('{{ 1 }}', {}, { instance: 1, owner: 1 }),
];
const users = new Set<string>();
const firstSeen = new Map<number, number>();
const until = performance.now() + watchMs;
while (performance.now() < until) {
  for (const each of usersOfLeaves()) users.add(each);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await Promise.all(waits);
const observation: Observation = { description, outputs, users: [...users] };
process.stdout.write(JSON.stringify(observation));
await processes.close();

/** Describes the processes below the launcher that run something, not those that hold their sandbox. */
function usersOfLeaves(): readonly string[] {
  const all = listProcesses();
  const launcher = all.find(({ pid, parent }) => parent === process.pid && isLauncher(pid));
  const below = launcher === undefined ? [] : descendantsOf(launcher.pid, all);
  const parents = new Set(all.map(({ parent }) => parent));
  return below.flatMap(({ pid, name }) => {
    if (parents.has(pid) || name === 'bwrap') return []; // a box that starts
    const status = read(`/proc/${pid}/status`);
    const [, ids] = /^Uid:\s+(.*)$/m.exec(status) ?? [];
    const [, groups] = /^Gid:\s+(.*)$/m.exec(status) ?? [];
    const [, capabilities] = /^CapEff:\s+(.*)$/m.exec(status) ?? [];
    const now = performance.now();
    const since = firstSeen.get(pid) ?? now;
    firstSeen.set(pid, since);
    return status !== '' && now - since > startMs
      ? [`${name} ${ids} ${groups} ${capabilities}`.replaceAll('\t', ' ')]
      : [];
  });
}

function isLauncher(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).includes('launcher.cjs');
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
