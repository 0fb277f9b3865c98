import type { Readable } from 'node:stream';

/** Callbacks for the lines of a stream. */
export interface LineHandlers {
  onMessage(message: unknown): void;
  /** Called once, when a line exceeds its limit or is no JSON; the rest is ignored. */
  onFlood(): void;
}

/** Reads one JSON value per line, of a program that is trusted to send messages of the right form. */
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
      const message = parse(line);
      if (message === undefined) {
        bytes = Infinity;
        return onFlood();
      }
      onMessage(message);
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxBytes) onFlood();
  });
}

/** Returns undefined for a line that is no JSON: the program may have been made to write it. */
function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}
