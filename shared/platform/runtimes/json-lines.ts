import type { Readable } from 'node:stream';

/** Callbacks for the lines of a stream. */
export interface LineHandlers {
  onMessage(message: unknown): void;
  /** Called once, when a line exceeds its limit; the rest is ignored. */
  onFlood(): void;
}

/** Reads one JSON value per line. Throws on invalid JSON, so use it only for trusted programs. */
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
