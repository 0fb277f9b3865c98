import type { Readable } from 'node:stream';

/** Collects what a process writes, run by run. */
export interface Output {
  /** Collects anew until `mark` comes or the stream ends; what came before is dropped. */
  collect(mark: string): Promise<void>;
  /** What has been collected, without the mark; bytes that are no UTF-8 become U+FFFD. */
  text(): string;
}

/** Bytes that may still be kept, over all streams of a run. */
export interface Budget {
  bytes: number;
  onExceeded(): void;
}

/** Collects from `stream` while there is budget. */
export function collectOutput(stream: Readable, budget: Budget): Output {
  let mark = Buffer.alloc(0);
  let tail = Buffer.alloc(0); // the last bytes, wherever chunks end
  let chunks: Buffer[] = [];
  let onEnd = () => {};
  let hasEnded = false;
  stream.on('data', (chunk: Buffer) => {
    if (budget.bytes >= 0) chunks.push(chunk);
    budget.bytes -= chunk.length;
    if (budget.bytes < 0) budget.onExceeded();
    if (mark.length === 0) return;
    tail = Buffer.concat([tail, chunk]).subarray(-mark.length);
    if (tail.equals(mark)) onEnd();
  });
  stream.once('close', () => {
    hasEnded = true;
    onEnd();
  });
  return {
    collect: (next) => {
      mark = Buffer.from(next);
      tail = Buffer.alloc(0);
      chunks = [];
      return new Promise((resolve) => {
        onEnd = resolve;
        if (hasEnded) resolve();
      });
    },
    text: () => {
      const bytes = Buffer.concat(chunks);
      const isMarked = mark.length > 0 && tail.equals(mark);
      return bytes.toString('utf8', 0, isMarked ? bytes.length - mark.length : bytes.length);
    },
  };
}
