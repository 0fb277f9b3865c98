import { type ClientRequest, request } from 'node:http';

/** One server-sent event, as a browser would receive it. */
export interface StreamEvent {
  readonly type: string;
  /** The last id that was sent, with this event or before. */
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into messages of every shape
  readonly data: any;
}

/** An open stream. */
export interface EventStream {
  readonly status: number;
  readonly type: string;
  /** Returns the next event; undefined: the stream has ended. */
  next(): Promise<StreamEvent | undefined>;
  /** Everything that was received so far. */
  readonly text: string;
  close(): void;
}

/** Opens a stream of server-sent events. */
export function openEventStream(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { headers: { accept: 'text/event-stream', ...headers } },
      (response) => {
        let text = '';
        let rest = '';
        let id = '';
        let hasEnded = false;
        const events: StreamEvent[] = [];
        const waiting: (() => void)[] = [];
        const wakeAll = () => {
          for (const wake of waiting.splice(0)) wake();
        };
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          const blocks = (rest + piece).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const fields = new Map(
              block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]),
            );
            id = fields.get('id') ?? id;
            const data = fields.get('data');
            if (data === undefined) continue;
            events.push({ type: fields.get('event') ?? 'message', id, data: JSON.parse(data) });
          }
          wakeAll();
        });
        response.on('close', () => {
          hasEnded = true;
          wakeAll();
        });
        response.on('error', () => undefined); // closed by the test
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          get text() {
            return text;
          },
          next: async () => {
            while (events.length === 0 && !hasEnded) {
              await new Promise<void>((wake) => waiting.push(wake));
            }
            return events.shift();
          },
          close: () => end(sent),
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

function end(sent: ClientRequest): void {
  sent.destroy();
}
