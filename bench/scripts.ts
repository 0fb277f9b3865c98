import { type LocalScripts, openScripts } from '../shared/platforms/local/scripts/scripts.ts';
import type { ScriptRuntime } from '../shared/ports/script-runner.ts';
import { cpuOf, familyOf } from './processes.ts';

/** Names of the rows for scripts, each run by the local runner, without HTTP. */
export const scriptRows = ['script warm', 'script cold', 'python warm', 'python cold'] as const;

/** Columns of these rows. */
export const scriptColumns = [
  'run',
  'runs',
  'p50 ms',
  'p99 ms',
  'server cpu us',
  'runner cpu us',
  'processes',
];
/** Milliseconds after which the next spare process is ready. */
export const coldPauseMs = 300;

/** Measures runs of a trivial script in a warm process, and first runs of new scripts. */
export async function measureScripts(
  names: readonly string[],
  seconds: number,
): Promise<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  for (const [name, runtime] of [['script', 'node'] as const, ['python', 'python'] as const]) {
    const scripts = openScripts();
    let script = 1;
    if (names.includes(`${name} warm`)) {
      for (let n = 0; n < 200; n += 1) await runOnce(scripts, runtime, 0); // compiled, and warm
      rows.push(await measure(`${name} warm`, seconds, () => runOnce(scripts, runtime, 0)));
    }
    if (names.includes(`${name} cold`)) {
      const run = async () => {
        const took = await runOnce(scripts, runtime, script++);
        await new Promise((resolve) => setTimeout(resolve, coldPauseMs));
        return took;
      };
      rows.push(await measure(`${name} cold`, seconds, run));
    }
    await scripts.close();
  }
  return rows;
}

/** Measures the durations that `run` returns, one run after the other, for the given seconds. */
export async function measure(
  name: string,
  seconds: number,
  run: () => Promise<number>,
): Promise<string[]> {
  const took: number[] = [];
  const before = { own: process.cpuUsage(), family: familyOf(process.pid) };
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) took.push(await run());
  const own = process.cpuUsage(before.own);
  const after = familyOf(process.pid);
  took.sort((a, b) => a - b);
  const known = new Set(before.family.map(({ pid }) => pid));
  return [
    name,
    String(took.length),
    (took[Math.floor(took.length / 2)] ?? 0).toFixed(2),
    (took[Math.floor(took.length * 0.99)] ?? 0).toFixed(2),
    ((own.user + own.system) / took.length).toFixed(0),
    name.endsWith('warm') ? ((cpuOf(after) - cpuOf(before.family)) / took.length).toFixed(0) : '-',
    `${after.filter(({ pid }) => !known.has(pid)).length} new`,
  ];
}

const sources: Readonly<Record<ScriptRuntime, string>> = {
  node: 'setResponse(new HttpResponse(200, { hello: ARGS.POST.who }))',
  python: "set_response(HttpResponse(200, {'hello': ARGS['POST']['who']}))",
};

/** Runs a trivial script and returns the duration in milliseconds. */
async function runOnce(
  scripts: LocalScripts,
  runtime: ScriptRuntime,
  script: number,
): Promise<number> {
  const startedMs = performance.now();
  const { status } = await scripts.run({
    instance: 1,
    owner: 1,
    script,
    version: 1,
    runtime,
    config: {},
    meta: {},
    args: { GET: {}, POST: { who: 'Ann' }, who: 'Ann' },
    source: async () => sources[runtime],
    timeoutMs: 5_000,
    waitMs: 5_000,
    isAwaited: true,
  });
  if (status !== 'success') throw new Error(`a script ended as ${status}`);
  return performance.now() - startedMs;
}
