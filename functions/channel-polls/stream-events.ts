import { type RoomPart, type RoomServices, readRoom } from '../../shared/channels/read-room.ts';
import { showMessage } from '../../shared/channels/show-message.ts';
import type { RoomPosition } from '../../shared/ports/ports.ts';
import type { MessageData } from '../../shared/table/records/channels.ts';
import type { Subscription } from './subscriptions.ts';

/** The events of a stream, and where it is in each of its rooms. */
export interface StreamEvents {
  readonly positions: readonly RoomPosition[];
  /** The first event of a stream that begins at the end of its rooms. */
  readonly ready: () => string;
  /** Reads some messages, and returns their events; empty: there is none. */
  readonly next: () => Promise<string>;
}

/** Keeps a stream open. Comments have no id, so that they do not change where a client continues. */
export const ping = ': ping\n\n';

const atOnce = 20; // messages of one read
const maxPiece = 131_072; // characters, and one message more: a slow client keeps a piece in memory

/** JSON of messages: all streams of a room send the same texts. */
const texts = new WeakMap<MessageData, string>();

/** Where a stream begins. */
export interface StreamStart {
  /** Position in each room. */
  readonly after: readonly number[];
  /** Whether the client knows the rooms up to there. Otherwise position 0 is a wish for the oldest messages. */
  readonly isContinued: boolean;
}

/** Creates the events of a stream. */
export function openEvents(
  services: RoomServices,
  subscriptions: readonly Subscription[],
  { after, isContinued }: StreamStart,
): StreamEvents {
  const rooms = subscriptions.map((each, at) => ({ ...each, after: after[at] ?? 0 }));
  let first = 0; // the room that is read first, so that a busy one does not hide the others
  const id = () => `id: ${rooms.map((room) => room.after).join(',')}\n`;

  async function nextOf(room: (typeof rooms)[number]): Promise<string> {
    const part = await readRoom(services, room.reference, { after: room.after, limit: atOnce });
    const wasEmpty = isContinued && room.after === 0;
    const isLost = part.isLost || (wasEmpty && (part.messages[0]?.previous ?? 0) > 0);
    let text = isLost ? resetOf(room, part) : '';
    for (const message of part.messages) {
      room.after = message.id;
      text += `${id()}data: ${bodyOf(room, message)}\n\n`;
      if (text.length >= maxPiece) break;
    }
    return text;
  }

  return {
    positions: rooms,
    ready: () => `event: ready\n${id()}data: {}\n\n`,
    next: async () => {
      let text = '';
      const inOrder = [...rooms.slice(first), ...rooms.slice(0, first)];
      first = (first + 1) % rooms.length;
      for (const room of inOrder) {
        text += await nextOf(room);
        if (text.length >= maxPiece) break;
      }
      return text;
    },
  };
}

/** Returns the event for a client that has missed messages: they are gone. */
function resetOf({ channel, room }: Subscription, { messages: [oldest] }: RoomPart): string {
  return `event: reset\ndata: ${JSON.stringify({ channel, room, oldest: oldest?.id })}\n\n`;
}

/** Returns a message after its channel, and its room as the client writes it. */
function bodyOf({ channel, room }: Subscription, message: MessageData): string {
  const text = texts.get(message) ?? JSON.stringify(showMessage(message));
  texts.set(message, text);
  return `${JSON.stringify({ channel, room }).slice(0, -1)},${text.slice(1)}`;
}
