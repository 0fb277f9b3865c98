import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { RoomMessage } from './channel-data.ts';

interface MessageTableProps {
  readonly caption: string;
  readonly messages: readonly RoomMessage[];
}

/** Messages as a table. */
export function MessageTable({ caption, messages }: MessageTableProps) {
  return <Table caption={caption} columns={columns} rows={messages} keyOf={({ id }) => id} />;
}

const maxInline = 200; // characters that are shown without a click

const columns = [
  { name: 'Message', cell: ({ id }: RoomMessage) => id },
  { name: 'Published', cell: ({ created_at }: RoomMessage) => <Time value={created_at} /> },
  { name: 'About', cell: aboutText },
  { name: 'By', cell: authorText },
  { name: 'Payload', cell: ({ payload }: RoomMessage) => <Payload payload={payload} /> },
];

function aboutText({ action, metadata }: RoomMessage): string {
  return metadata.class === undefined ? action : `${action} in ${metadata.class}`;
}

function authorText({ author }: RoomMessage): string {
  return Object.entries(author)
    .map(([kind, id]) => `${kind === 'api_key' ? 'API key' : kind} ${id}`)
    .join(', ');
}

function Payload({ payload }: Pick<RoomMessage, 'payload'>) {
  const text = writeExactJson(payload);
  if (text.length <= maxInline) return <code>{text}</code>;
  return (
    <details>
      <summary class="mono">{text.slice(0, maxInline)}…</summary>
      <pre>{writeExactJson(payload, 2)}</pre>
    </details>
  );
}
