import { createPublisher } from '../../../channels/publisher.ts';
import { roomKey } from '../../../channels/room-reference.ts';
import type { Messages, Platform, PollSlot, RoomPosition, Settings } from '../../../ports/ports.ts';
import { roomHeadEntity } from '../../../table/entities/channels.ts';
import { shortPollMs } from '../../../values/bounds.ts';
import { realTimer, type Timer } from '../jobs/timer.ts';
import { takePollSlot } from './poll-slots.ts';

type MessageServices = Pick<Platform, 'store' | 'clock' | 'ids' | 'log'>;

/** Settings of polls. */
export interface MessagesOptions {
  /** Polls that wait at the same time, before their waits get shorter. */
  readonly pollSlots: number;
  readonly settings: Pick<Settings, 'pollMs'>;
}

/** For tests: another timer, and another source of chance. */
export interface MessagesTiming {
  readonly timer: Timer;
  readonly random: () => number;
}

const realTiming: MessagesTiming = { timer: realTimer, random: Math.random };

const longestMs = 25_000; // the gateway ends a request after 30 s
const crowdedMs = 10_000;
const lookMs = 1000;

/**
 * Opens publishing, and waiting in functions: other processes publish, so the ends of rooms are read each second.
 *
 * A poll tries to take a slot at random, so the result shows how many others wait. While most slots are free it waits
 * for long. When the first slot is taken it waits for less, when a second one is as well only for a moment: so the
 * number of concurrent polls stays below that of the slots, and clients get responses in place of errors.
 */
export function openMessages(
  services: MessageServices,
  { pollSlots, settings: { pollMs = longestMs } }: MessagesOptions,
  { timer, random }: MessagesTiming = realTiming,
): Messages {
  const anySlot = () => Math.floor(random() * pollSlots);
  return {
    publish: createPublisher(services, () => undefined),
    wait: async (positions, { ms, ending }) => {
      const until = timer.now() + ms;
      while (ending?.reason() === undefined && !(await hasNews(services, positions))) {
        const restMs = until - timer.now();
        if (restMs <= 0) return;
        await timer.sleep(Math.min(restMs, lookMs));
      }
    },
    admit: async (_, use) => {
      if (use === 'stream') return admission(0, () => Promise.resolve());
      const first = await takePollSlot(services, anySlot(), longestMs);
      if (first !== undefined) return admission(Math.min(pollMs, longestMs), first);
      const second = await takePollSlot(services, anySlot(), longestMs);
      if (second !== undefined) return admission(Math.min(pollMs, crowdedMs), second);
      return admission(shortPollMs, () => Promise.resolve());
    },
  };
}

function admission(waitMs: number, release: PollSlot['release']): PollSlot {
  return { waitMs, openMs: 0, release };
}

async function hasNews(
  { store }: MessageServices,
  positions: readonly RoomPosition[],
): Promise<boolean> {
  const heads = await roomHeadEntity.readAll(
    store,
    positions.map(({ reference }) => roomKey(reference)),
  );
  return positions.some(({ after }, at) => (heads[at]?.data.last ?? 0) > after);
}
