import type { SentRequest } from '../../core/roles.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import type { Paged } from '../../parts/paged.tsx';
import type { TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { isInOutbox, messageStatus, type PushMessage } from './push-data.ts';

interface MessageListProps {
  readonly messages: Paged<PushMessage>;
  readonly sends: SentRequest;
  readonly onSend: () => void;
}

/** Messages with their outcome. */
export function MessageList({ messages, sends, onSend }: MessageListProps) {
  return (
    <section aria-labelledby="messages">
      <div class="heading">
        <h2 id="messages">Messages</h2>
        <div class="actions">
          <Button class="small" onAct={messages.reload} text="Refresh" />
          <Button class="small main" sends={sends} onAct={onSend} text="Send message" />
        </div>
      </div>
      <LoadedTable
        of={messages}
        caption="Sent messages"
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty>No messages yet.</Empty>}
      />
    </section>
  );
}

const columns: readonly TableColumn<PushMessage>[] = [
  { name: 'Id', cell: ({ id }) => id },
  { name: 'Sent', cell: ({ created_at }) => <Time value={created_at} /> },
  {
    name: 'Devices',
    cell: ({ content }) => content.registration_ids?.length ?? 0,
    isNumber: true,
  },
  {
    name: 'Status',
    cell: (message) => {
      const look = isInOutbox(message) ? '' : badges[message.status];
      return <span class={`badge ${look}`}>{messageStatus(message)}</span>;
    },
  },
  { name: 'Outcome', cell: outcomeOf },
];

const badges: Readonly<Record<PushMessage['status'], string>> = {
  scheduled: '',
  delivered: 'good',
  partially_delivered: 'bad',
  error: 'bad',
};

const shownCharacters = 200;

function outcomeOf(message: PushMessage): string {
  const { result } = message;
  if (typeof result === 'string') return result;
  const failed = Object.entries(result.errors ?? {});
  const texts = failed.map(([error, tokens]) => `${error}: ${tokens.join(', ')}`);
  const text = [...(isInOutbox(message) ? ['in the outbox of the server'] : []), ...texts].join(
    '; ',
  );
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
