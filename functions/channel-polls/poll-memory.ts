import type { ChannelContext } from '../../shared/channels/channel-record.ts';
import type { RoomReference } from '../../shared/channels/rules/room-log.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { putItem } from '../../shared/store/writes.ts';
import { pollPositionEntity } from '../../shared/table/entities/channels.ts';
import type { Actor } from '../../shared/values/access.ts';

/*
 * Some clients forget the id of their last message when a poll ends without one. Their next poll continues where that
 * poll was (docs/reference/channels.md#polling).
 */

const memoryMs = 10_000;

/** Where a poll was, and when it ended (epoch milliseconds). */
type PollPosition = { readonly last: number; readonly atMs: number };

/** Returns where an earlier poll of the caller was, if it has ended within ten seconds. */
export async function rememberedPosition(
  { platform, actor }: ChannelContext,
  { instance, channel, room }: RoomReference,
): Promise<PollPosition | undefined> {
  const found = await pollPositionEntity.read(
    platform.store,
    instance,
    channel,
    callerName(actor),
    room,
  );
  if (found === undefined) return undefined;
  const ageMs = platform.clock.micros() / 1000 - found.data.atMs;
  return ageMs <= memoryMs ? found.data : undefined;
}

/** Stores where a poll was that has ended without a message, or what has been sent since then. */
export async function rememberPosition(
  { platform, actor }: ChannelContext,
  { instance, channel, room }: RoomReference,
  position: PollPosition,
): Promise<void> {
  const key = pollPositionEntity.key(instance, channel, callerName(actor), room);
  const expiresAt = Math.ceil((position.atMs + memoryMs) / 1000);
  await maintain(platform, [{ ...putItem(pollPositionEntity, key, position), expiresAt }]);
}

function callerName(actor: Actor): string {
  switch (actor.kind) {
    case 'anonymous':
      return '';
    case 'admin':
      return `admin ${actor.account}`;
    case 'apiKey':
      return `key ${actor.key} user ${actor.user?.id ?? ''}`;
  }
}
