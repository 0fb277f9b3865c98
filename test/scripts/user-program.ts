import { readFileSync } from 'node:fs';
import { openProcesses } from '../../shared/platforms/local/scripts/processes.ts';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { openTemplates } from '../../shared/platforms/local/templates.ts';
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
const waiting = setInterval(() => {}, 1000); // the launcher alone does not keep this process
const childBytes = 6 * 220 * 2 ** 20; // no spare Pyodide, which takes seconds to start
const processes = openProcesses({ isolation: { network: true, level }, childBytes, folder });
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
const seen = new Map<number, { readonly sinceMs: number; lastMs: number; user: string }>();
const until = performance.now() + watchMs;
while (performance.now() < until) {
  look();
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await Promise.all(waits);
const settled = [...seen.values()].filter(({ sinceMs, lastMs }) => lastMs - sinceMs > startMs);
const users = new Set(settled.map(({ user }) => user));
const observation: Observation = { description, outputs, users: [...users] };
process.stdout.write(JSON.stringify(observation));
await processes.close();
clearInterval(waiting);

/** Notes the users of the processes below the launcher that run something, not of those that hold their sandbox. */
function look(): void {
  const all = listProcesses();
  const launcher = all.find(({ pid, parent }) => parent === process.pid && isLauncher(pid));
  const below = launcher === undefined ? [] : descendantsOf(launcher.pid, all);
  const parents = new Set(all.map(({ parent }) => parent));
  for (const { pid, name } of below) {
    const user = parents.has(pid) || name === 'bwrap' ? undefined : userOf(pid);
    if (user === undefined) continue;
    const lastMs = performance.now();
    const { sinceMs = lastMs } = seen.get(pid) ?? {};
    seen.set(pid, { sinceMs, lastMs, user: `${name} ${user}` });
  }
}

/** Returns users, groups and effective capabilities for the kernel; undefined for a process that has ended. */
function userOf(pid: number): string | undefined {
  const found = [...read(`/proc/${pid}/status`).matchAll(/^(?:Uid|Gid|CapEff):\s+(.*)$/gm)];
  const facts = found.map(([, value = '']) => value.replaceAll('\t', ' '));
  return facts.length === 0 ? undefined : facts.join(' ');
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
