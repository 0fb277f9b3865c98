/** Jobs that a shard runs at once, and slow ones. */
export const atOncePerShard = 4;
const slowMs = 5000; // a job that runs for longer no longer counts: jobs behind it may start
const maxSlowPerShard = 60;

/** A shard and its running jobs. */
export interface ShardRun {
  readonly shard: number;
  readonly underWay: Set<Promise<void>>;
  /** One for each running job that does not count as slow yet. */
  readonly places: Set<Promise<void>>;
}

/** Returns a shard without running jobs. */
export function openShardRun(shard: number): ShardRun {
  return { shard, underWay: new Set(), places: new Set() };
}

/** Waits until one more job of a shard may run. */
export async function awaitPlace({ underWay, places }: ShardRun): Promise<void> {
  if (underWay.size >= atOncePerShard + maxSlowPerShard) await Promise.race(underWay);
  if (places.size >= atOncePerShard) await Promise.race(places);
}

/** Counts a running job until its end, and its place until then or until it is slow. */
export function track({ underWay, places }: ShardRun, job: Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, slowMs);
  });
  const running = job.finally(() => {
    clearTimeout(timer);
    underWay.delete(running);
  });
  const place = Promise.race([running, slow]).finally(() => places.delete(place));
  underWay.add(running);
  places.add(place);
}
