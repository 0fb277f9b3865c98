import type { Readable } from 'node:stream';

/** What is called while lines are read. */
export interface LineHandlers {
  onMessage(message: unknown): void;
  /** Called once, when a line is longer than it may be; what follows is ignored. */
  onFlood(): void;
}

/** Reads a JSON value per line, for a stream that only our own programs write to: throws on what is no JSON. */
export function readJsonLines(
  stream: Readable,
  maxBytes: number,
  { onMessage, onFlood }: LineHandlers,
): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes > maxBytes) return;
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      bytes = 0;
      from = end + 1;
      onMessage(JSON.parse(line.toString()));
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxBytes) onFlood();
  });
}
