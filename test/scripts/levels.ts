import { probeIsolation } from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import type { Isolation, Level } from '../../shared/platforms/local/scripts/sandbox/level.ts';

/** The sandbox at each level that works on this machine, the strongest first. */
export const isolations: ReadonlyMap<Level, Isolation> = await probeAll();

/** The names of these levels. */
export const levels: readonly Level[] = [...isolations.keys()];

async function probeAll(): Promise<ReadonlyMap<Level, Isolation>> {
  const found = new Map<Level, Isolation>();
  for (const level of ['bubblewrap', 'landlock', 'flags'] as const) {
    try {
      found.set(level, await probeIsolation({ network: true, level }));
    } catch (error) {
      process.stdout.write(`skipped: the sandbox level ${level}: ${error}\n`);
    }
  }
  return found;
}
