import type { Stored } from '../store/store.ts';
import type { JobData } from '../table/records/jobs.ts';
import type { JsonObject } from '../values/json/json.ts';

/* Fairness of jobs: how many shards those of a tenant may fill, and in which order a shard runs them. */

/** Shards that the jobs of one owner are in, of all 16: a tenant can delay others in a quarter of them. */
export const shardsPerOwner = 4;

/** Returns who a job belongs to: the instance or account of its task. Jobs of the deployment have one owner. */
export function jobOwner({ instance, account, owner }: JsonObject): string {
  return String(instance ?? account ?? owner ?? 'deployment');
}

/**
 * Returns a shard of an owner, as a digit in hex: that of an id, random or derived from a name, of which the first digit
 * chooses one of {@link shardsPerOwner}. Owners share all of their shards with few others.
 */
export function shardDigit(owner: string, id: string): string {
  const hash = hashOf(owner);
  const step = 2 * ((hash >>> 4) % 8) + 1; // odd, so that it reaches different shards
  const chosen = Number.parseInt(id.slice(0, 1), 16) % shardsPerOwner;
  return ((hash + chosen * step) % 16).toString(16);
}

/** FNV-1a, whose last digits differ for consecutive numbers. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * Orders jobs so that each owner has its first one before another has its second; those of an owner keep their order.
 * Returns as many as may start before the shard is read again: the first of each owner, and at least `atLeast` if there
 * are as many. Jobs that are planned meanwhile wait for no more.
 */
export function inTurns(
  jobs: readonly Stored<JobData>[],
  atLeast: number,
): readonly Stored<JobData>[] {
  const seen = new Map<string, number>();
  const turns = jobs.map((job) => {
    const owner = jobOwner(job.data.task);
    const turn = seen.get(owner) ?? 0;
    seen.set(owner, turn + 1);
    return { job, turn };
  });
  const sorted = turns.toSorted((a, b) => a.turn - b.turn).map(({ job }) => job);
  return sorted.slice(0, Math.max(atLeast, seen.size));
}
