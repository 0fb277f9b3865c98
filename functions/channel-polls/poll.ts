import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelContext, channelOf, inChannel } from '../../shared/channels/channel-record.ts';
import { readRoomReference, roomParameters } from '../../shared/channels/channel-room.ts';
import {
  checkSubscribe,
  messageAccess,
  renewContext,
} from '../../shared/channels/message-access.ts';
import { readEnd, readRoom } from '../../shared/channels/read-room.ts';
import type { RoomReference } from '../../shared/channels/rules/room-log.ts';
import { messageFields, showMessage } from '../../shared/channels/show-message.ts';
import { endpointRoute, instanceOf } from '../../shared/core/family.ts';
import { queryValue, type Response } from '../../shared/core/http/message.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import { shareOf } from '../../shared/ports/limits/fair-queue.ts';
import type { PollSlot } from '../../shared/ports/ports.ts';
import { StoreBusy } from '../../shared/store/store.ts';
import { recheckMs, shortPollMs } from '../../shared/values/bounds.ts';
import { detailError } from '../../shared/values/errors/errors.ts';
import { readLastId } from './last-id.ts';
import { rememberedPosition, rememberPosition } from './poll-memory.ts';

/** Waits for the next message of a room (docs/reference/channels.md#polling). */
export const pollRoute = endpointRoute({
  name: 'Channel Poll',
  operationNames: { GET: { id: 'pollMessage', summary: 'Poll for the next message of a channel' } },
  path: '/instances/{instance}/channels/{channel}/poll/',
  access: messageAccess,
  loads: inChannel,
  isUnbatchable: true,
  isUntemplated: true,
  operations: {
    GET: {
      right: 'G',
      waits: true,
      authorize: checkSubscribe,
      parameters: {
        ...roomParameters,
        last_id: {
          type: 'integer',
          description: 'Returns the oldest message with a greater id. Absent: waits for the next.',
          min: 0,
        },
        transport: { type: 'string', description: 'Only polling is available.' },
      },
      run: poll,
    },
  },
  response: { fields: messageFields, name: 'Polled message', isOptional: true },
});

async function poll(context: ChannelContext): Promise<Response> {
  const { query } = context.request;
  if (queryValue(query, 'transport') === 'websocket') {
    throw detailError(400, 'Expected WebSocket connection.', 'invalid_input');
  }
  const { data: channel } = channelOf(context);
  const reference = readRoomReference(instanceOf(context), channel, queryValue(query, 'room'));
  const lastId = readLastId(queryValue(query, 'last_id'));
  const memory = lastId === undefined ? await rememberedPosition(context, reference) : undefined;
  const known = lastId ?? memory?.last;
  const end = (await readEnd(context.platform, reference))?.last ?? 0;
  const after = Math.min(known ?? end, end); // an id that no message has had yet would hide the next one
  if (after < end) {
    const [message] = await messagesAfter(context, reference, after);
    if (message !== undefined) {
      if (memory !== undefined) {
        await rememberPosition(context, reference, { ...memory, last: message.id });
      }
      return { status: 200, body: showMessage(message) };
    }
  }
  return await waitAdmitted(context, reference, after);
}

/**
 * Waits as long as there is room for. A store that is too busy responds as a short wait without a message. The response
 * to any other failure is delayed: old clients respond to an error with the next poll, at once and without end.
 */
async function waitAdmitted(
  context: ChannelContext,
  reference: RoomReference,
  after: number,
): Promise<Response> {
  const { instance, owner } = await tenantOf(context);
  const admission = await context.platform.messages.admit(shareOf(instance, owner), 'poll');
  try {
    return await waitForMessage(context, { reference, after, admission });
  } catch (error) {
    await sleep(shortPollMs);
    if (error instanceof StoreBusy) return withoutMessage(after);
    throw error;
  } finally {
    await admission.release();
  }
}

interface Waiting {
  readonly reference: RoomReference;
  /** Id of the last message that the client has, or need not get. */
  readonly after: number;
  readonly admission: PollSlot;
}

/**
 * Waits for a message. The end of the wait has no message, and is never an error: old clients respond to one with the
 * next poll, at once and without end. This includes a caller that has lost its rights, whose next poll is an error.
 */
async function waitForMessage(
  context: ChannelContext,
  { reference, after, admission }: Waiting,
): Promise<Response> {
  const { clock, messages } = context.platform;
  const ending = context.request.ending?.();
  const until = clock.steadyMs() + admission.waitMs;
  for (;;) {
    const restMs = until - clock.steadyMs();
    if (restMs <= 0 || ending?.reason() !== undefined) break;
    const ms = Math.min(restMs, recheckMs);
    await messages.wait([{ reference, after }], { ms, ending });
    if ((await renewContext(context)) === undefined) break;
    const [message] = await messagesAfter(context, reference, after);
    if (message !== undefined) {
      const headers = { 'X-Last-Id': String(message.id) };
      return { status: 200, headers, body: showMessage(message) };
    }
  }
  if (ending?.reason() !== 'client gone') {
    const atMs = Math.floor(clock.micros() / 1000);
    await rememberPosition(context, reference, { last: after, atMs });
  }
  return withoutMessage(after);
}

function withoutMessage(after: number): Response {
  return { status: 204, headers: { 'X-Last-Id': String(after) } };
}

async function messagesAfter(context: ChannelContext, reference: RoomReference, after: number) {
  return (await readRoom(context.platform, reference, { after, limit: 1 })).messages;
}
