import { createPublisher } from '../../channels/publisher.ts';
import { roomId, roomKey } from '../../channels/room-reference.ts';
import type { RoomReference } from '../../channels/rules/room-log.ts';
import { openRequestQueue, type QueueState } from '../../ports/limits/request-queue.ts';
import type { Messages, Platform, PollSlot, RoomPosition } from '../../ports/ports.ts';
import type { Store } from '../../store/store.ts';
import { roomHeadEntity } from '../../table/entities/channels.ts';
import { listeners, longestPollMs, shortPollMs } from '../../values/bounds.ts';
import type { Ending } from '../../values/ending.ts';
import { connectionLimit } from './server/descriptors.ts';

type MessageServices = Pick<Platform, 'store' | 'clock' | 'ids' | 'settings'>;

/** The messages of one machine: a publication wakes those who wait for it. */
export interface LocalMessages extends Messages {
  /** Returns the same with another store, for tests that wrap it. */
  over(store: Store): LocalMessages;
  /** Number of rooms with waiting requests. */
  readonly waiting: number;
  /** State of the waiting requests. */
  readonly listeners: QueueState;
}

/** Listeners that a publication wakes in one turn of the event loop; some 20 ms, so that other requests have theirs. */
const wokenAtOnce = 200;

type Wake = () => void;

/** Opens publishing and waiting in this process, which is the only one. */
export function openMessages(services: MessageServices): LocalMessages {
  const waiting = new Map<string, Set<Wake>>();
  const capacity = Math.min(listeners.total, Math.floor(connectionLimit() / 2));
  const requestQueue = openRequestQueue({
    capacity,
    perOwner: Math.min(listeners.perOwner, Math.ceil(capacity / 2)),
    perInstance: Math.min(listeners.perInstance, Math.ceil(capacity / 4)),
    queuePerOwner: 0,
    queuePerInstance: 0,
  });

  function wakeAll(reference: RoomReference): void {
    const wakes = [...(waiting.get(roomId(reference)) ?? [])];
    const next = (from: number) => {
      const to = from + wokenAtOnce;
      for (const wake of wakes.slice(from, to)) wake();
      if (to < wakes.length) setImmediate(next, to);
    };
    next(0);
  }

  async function admit(share: Parameters<Messages['admit']>[0]): Promise<PollSlot> {
    const entry = await requestQueue.enter({ ...share, waitMs: 0 });
    if (entry === 'full' || entry === 'late') return crowded;
    const release = () => Promise.resolve(entry());
    const { pollMs } = services.settings;
    const waitMs = pollMs ?? longestPollMs;
    return { waitMs, openMs: pollMs ?? Number.POSITIVE_INFINITY, release };
  }

  const over = (store: Store): LocalMessages => ({
    over,
    listeners: requestQueue,
    get waiting() {
      return waiting.size;
    },
    publish: createPublisher({ ...services, store }, wakeAll),
    wait: (positions, limit) => waitFor(waiting, { store, positions, ...limit }),
    admit,
  });
  return over(services.store);
}

const crowded: PollSlot = {
  waitMs: shortPollMs,
  openMs: 0,
  release: () => Promise.resolve(),
};

interface Wait {
  readonly store: Store;
  readonly positions: readonly RoomPosition[];
  readonly ms: number;
  readonly ending: Ending | undefined;
}

/** Waits for a publication in one of the rooms. Looks once after it has begun to wait, so that it misses none. */
async function waitFor(
  waiting: Map<string, Set<Wake>>,
  { store, positions, ms, ending }: Wait,
): Promise<void> {
  if (ending?.reason() !== undefined || ms <= 0) return;
  let wake: Wake = () => undefined;
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const timer = setTimeout(wake, ms);
  const forget = ending?.onEnd(wake);
  const ids = positions.map(({ reference }) => roomId(reference));
  for (const id of ids) {
    const others = waiting.get(id) ?? new Set();
    waiting.set(id, others.add(wake));
  }
  try {
    if (!(await hasNews(store, positions))) await woken;
  } finally {
    clearTimeout(timer);
    forget?.();
    for (const id of ids) {
      const others = waiting.get(id);
      others?.delete(wake);
      if (others?.size === 0) waiting.delete(id);
    }
  }
}

async function hasNews(store: Store, positions: readonly RoomPosition[]): Promise<boolean> {
  const heads = await roomHeadEntity.readAll(
    store,
    positions.map(({ reference }) => roomKey(reference)),
  );
  return positions.some(({ after }, at) => (heads[at]?.data.last ?? 0) > after);
}
