import type { Readable } from 'node:stream';

/** Collects the output of a process on one stream, run by run. */
export interface ProcessOutput {
  /** Checks whether the stream has ended: the script closed it, or the process ended. */
  hasEnded(): boolean;
  /** Starts a run: drops earlier output. */
  reset(): void;
  /** Returns the output of this run; invalid UTF-8 becomes U+FFFD. */
  text(): string;
}

/** Bytes that may still be collected from all streams of a run. */
export interface Budget {
  bytes: number;
  onExceeded(): void;
}

/** Collects the output of `stream` within the budget. */
export function collectOutput(stream: Readable, budget: Budget): ProcessOutput {
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
    hasEnded: () => hasEnded,
    reset: () => {
      chunks = [];
    },
    text: () => Buffer.concat(chunks).toString(),
  };
}
