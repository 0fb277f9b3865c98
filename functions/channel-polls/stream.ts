import { type ChannelContext, inChannel } from '../../shared/channels/channel-record.ts';
import { roomParameters } from '../../shared/channels/channel-room.ts';
import {
  checkSubscribe,
  messageAccess,
  renewContext,
} from '../../shared/channels/message-access.ts';
import { readEnd } from '../../shared/channels/read-room.ts';
import { roomId } from '../../shared/channels/room-reference.ts';
import { endpointRoute } from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { tenantOf } from '../../shared/core/resource/context-values.ts';
import { shareOf } from '../../shared/ports/limits/fair-queue.ts';
import type { PollSlot } from '../../shared/ports/ports.ts';
import { maxClosedStreamBytes, recheckMs } from '../../shared/values/bounds.ts';
import { faultOf } from '../../shared/values/caught.ts';
import { ApiError } from '../../shared/values/errors/errors.ts';
import { inBackground } from '../../shared/values/promises/in-background.ts';
import { openEvents, ping, type StreamEvents } from './stream-events.ts';
import { readPositions, type Subscription, subscriptionsOf } from './subscriptions.ts';

const mediaType = 'text/event-stream';

/** Sends messages as server-sent events (docs/reference/channels.md#streams). */
export const streamRoute = endpointRoute({
  name: 'Channel Stream',
  operationNames: {
    GET: { id: 'streamMessages', summary: 'Stream the messages of channels as they come' },
  },
  path: '/instances/{instance}/channels/{channel}/stream/',
  v1Path: null,
  access: messageAccess,
  loads: inChannel,
  formats: [mediaType],
  isUnbatchable: true,
  isUntemplated: true,
  operations: {
    GET: {
      right: 'G',
      waits: true,
      authorize: checkSubscribe,
      parameters: {
        ...roomParameters,
        channels: {
          type: 'string',
          description: 'Further channels, `chat:lobby,news`; rooms after a colon, percent-encoded.',
        },
        last_id: {
          type: 'string',
          description: 'Id of the last event that was received. Absent: begins with the next one.',
        },
      },
      run: stream,
    },
  },
});

async function stream(context: ChannelContext): Promise<Response> {
  const { platform, request } = context;
  const subscriptions = await subscriptionsOf(context);
  const sent = readPositions(context, subscriptions.length);
  const after = sent ?? (await readEnds(context, subscriptions));
  const isContinued = sent === undefined || Boolean(request.headers['last-event-id']);
  const events = openEvents(platform, subscriptions, { after, isContinued });
  const start = sent === undefined ? events.ready() : '';
  if (request.method === 'HEAD') return { status: 200, content: { type: mediaType, bytes: '' } };
  const { instance, owner } = await tenantOf(context);
  const admission = await platform.messages.admit(shareOf(instance, owner), 'stream');
  if (admission.openMs > 0) return openStream(context, { events, subscriptions, start, admission });
  await admission.release();
  return closedStream(events, start);
}

async function readEnds({ platform }: ChannelContext, subscriptions: readonly Subscription[]) {
  const ends = await Promise.all(
    subscriptions.map(({ reference }) => readEnd(platform, reference)),
  );
  return ends.map((end) => end?.last ?? 0);
}

interface OpenStream {
  readonly events: StreamEvents;
  readonly subscriptions: readonly Subscription[];
  /** The first text. */
  readonly start: string;
  readonly admission: PollSlot;
}

/** Returns a response that remains open. */
function openStream(context: ChannelContext, of: OpenStream): Response {
  const pieces = piecesOf(context, of);
  // also when the response is never sent
  context.request.ending?.().onEnd(() =>
    inBackground(of.admission.release(), (error) => {
      const message = 'the place of a stream could not be released';
      context.platform.log({ level: 'error', message, ...faultOf(error) });
    }),
  );
  const headers = { 'X-Accel-Buffering': 'no' }; // nginx would hold events back until it has a buffer full
  return { status: 200, headers, stream: { type: mediaType, pieces } };
}

async function* piecesOf(
  context: ChannelContext,
  { events, subscriptions, start, admission }: OpenStream,
): AsyncGenerator<string> {
  const { clock, messages } = context.platform;
  const ending = context.request.ending?.();
  const until = clock.steadyMs() + admission.openMs;
  try {
    if (start !== '') yield start;
    while (ending?.reason() === undefined) {
      const restMs = until - clock.steadyMs();
      if (restMs <= 0) return;
      await messages.wait(events.positions, { ms: Math.min(restMs, recheckMs), ending });
      if (ending?.reason() !== undefined || !(await isStillAllowed(context, subscriptions))) return;
      yield (await events.next()) || ping;
    }
  } finally {
    await admission.release();
  }
}

/** Returns the messages so far; the client connects again after some seconds. */
async function closedStream(events: StreamEvents, start: string): Promise<Response> {
  let bytes = `retry: ${retryMs}\n\n${start}`;
  while (bytes.length < maxClosedStreamBytes) {
    const more = await events.next();
    if (more === '') break;
    bytes += more;
  }
  return { status: 200, content: { type: mediaType, bytes } };
}

const retryMs = 5000;

/** Checks that the caller may still read the same channels. */
async function isStillAllowed(
  context: ChannelContext,
  subscriptions: readonly Subscription[],
): Promise<boolean> {
  const again = await renewContext(context);
  if (again === undefined) return false;
  try {
    const now = await subscriptionsOf(again);
    return now.every(({ reference }, at) => {
      const before = subscriptions[at];
      return before !== undefined && roomId(before.reference) === roomId(reference);
    });
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
