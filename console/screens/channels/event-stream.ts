/** An event of a stream of server-sent events. */
export interface StreamEvent {
  /** Empty: an ordinary message. */
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** What is received: an event, or how long to wait before the next connection. */
export type StreamItem =
  | { readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly kind: 'retry'; readonly ms: number };

/**
 * Reads a stream of server-sent events to its end. Not `EventSource`, which cannot send the key in a header: keys
 * would be in logs of addresses.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamItem> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? ''; // the beginning of the next event
    for (const block of blocks) yield* parseBlock(block);
  }
}

function* parseBlock(block: string): Generator<StreamItem> {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [name = '', text = ''] = line.split(/: ?(.*)/, 2);
    const before = name === 'data' ? fields.get('data') : undefined;
    fields.set(name, before === undefined ? text : `${before}\n${text}`);
  }
  const retry = fields.get('retry');
  if (retry !== undefined) yield { kind: 'retry', ms: Number(retry) };
  const data = fields.get('data');
  if (data === undefined) return; // a comment
  const event = { type: fields.get('event') ?? '', data, id: fields.get('id') };
  yield { kind: 'event', event };
}
