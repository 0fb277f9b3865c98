/** Jobs that a shard runs at once, and slow ones. */
export const atOncePerShard = 4;
const slowMs = 5000; // a job that runs for longer no longer counts: jobs behind it may start
const maxSlowPerShard = 60;

/** A shard and its running jobs. */
export interface ShardRun {
  readonly shard: number;
  readonly underWay: Set<Promise<void>>;
  /** One for each running job that does not count as slow yet. */
  readonly quick: Set<Promise<void>>;
}

/** Returns a shard without running jobs. */
export function openShardRun(shard: number): ShardRun {
  return { shard, underWay: new Set(), quick: new Set() };
}

/** Waits until one more job of a shard may run. */
export async function awaitTurn({ underWay, quick }: ShardRun): Promise<void> {
  if (underWay.size >= atOncePerShard + maxSlowPerShard) await Promise.race(underWay);
  if (quick.size >= atOncePerShard) await Promise.race(quick);
}

/** Counts a running job until its end, and its slot until then or until it is slow; one that is slow at once has none. */
export function track({ underWay, quick }: ShardRun, job: Promise<void>, isSlow = false): void {
  if (isSlow) {
    const waiting = job.finally(() => underWay.delete(waiting));
    underWay.add(waiting);
    return;
  }
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, slowMs);
  });
  const running = job.finally(() => {
    clearTimeout(timer);
    underWay.delete(running);
  });
  const quickEnd = Promise.race([running, slow]).finally(() => quick.delete(quickEnd));
  underWay.add(running);
  quick.add(quickEnd);
}
