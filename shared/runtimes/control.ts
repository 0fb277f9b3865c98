import type { Readable } from 'node:stream';
import * as v from 'valibot';

/** What a runner says at the end of a run. */
export interface Report {
  readonly exitCode: number;
  readonly isReusable: boolean;
  /** JSON of the custom response. */
  readonly response?: string;
  /** Whether there was a response that is too big to be told. */
  readonly isTooBig?: boolean;
}

/** What comes from a runner over its control descriptor. */
export interface Messages {
  readonly ready: Promise<void>;
  /** Resolves with the report that carries `mark`, if it ever comes. */
  reportOf(mark: string): Promise<Report>;
}

const maxLine = 16 * 1024 * 1024; // bytes; a report is smaller, whatever its response is made of

const schema = v.union([
  v.object({ ready: v.literal(true) }),
  v.object({
    mark: v.string(),
    exitCode: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)),
    isReusable: v.boolean(),
    response: v.exactOptional(v.string()),
    isTooBig: v.exactOptional(v.boolean()),
  }),
]);

/**
 * Reads the lines of a runner. A script can write there too: what is no message, or of no run under way, is passed
 * over.
 *
 * @param onFlood called when a line is longer than any message
 */
export function readMessages(control: Readable, onFlood: () => void): Messages {
  let onReady = () => {};
  let expected: { mark: string; resolve(report: Report): void } | undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  readLines(control, onFlood, (line) => {
    const message = parse(line);
    if (message === undefined) return;
    if ('ready' in message) onReady();
    else if (message.mark === expected?.mark) expected.resolve(message);
  });
  return {
    ready,
    reportOf: (mark) =>
      new Promise((resolve) => {
        expected = { mark, resolve };
      }),
  };
}

function readLines(stream: Readable, onFlood: () => void, onLine: (line: string) => void): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      onLine(Buffer.concat([...parts, chunk.subarray(from, end)]).toString());
      parts = [];
      bytes = 0;
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > maxLine) onFlood();
  });
}

function parse(line: string) {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), line);
  return parsed.success ? parsed.output : undefined;
}
