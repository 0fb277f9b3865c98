import type { Readable } from 'node:stream';

/** Collects the output of a process on one stream, run by run. */
export interface Output {
  /** Whether the stream has ended: the script has closed it, or the process has ended. */
  readonly hasEnded: boolean;
  /** Begins a run: earlier output is dropped. */
  begin(): void;
  /** Returns the output of this run; bytes that are not UTF-8 become U+FFFD. */
  text(): string;
}

/** Bytes that may still be kept, over all streams of a run. */
export interface Budget {
  bytes: number;
  onExceeded(): void;
}

/** Collects from `stream` while there is budget. */
export function collectOutput(stream: Readable, budget: Budget): Output {
  let chunks: Buffer[] = [];
  let hasEnded = false;
  stream.on('data', (chunk: Buffer) => {
    if (budget.bytes >= 0) chunks.push(chunk);
    budget.bytes -= chunk.length;
    if (budget.bytes < 0) budget.onExceeded();
  });
  stream.once('end', () => {
    hasEnded = true;
  });
  return {
    get hasEnded() {
      return hasEnded;
    },
    begin: () => {
      chunks = [];
    },
    text: () => Buffer.concat(chunks).toString(),
  };
}
