import type { Readable } from 'node:stream';
import * as v from 'valibot';

/** Report of a runner at the end of a run. */
export interface Report {
  readonly exitCode: number;
  readonly isReusable: boolean;
  /** JSON of the custom response. */
  readonly response?: string;
  /** True when the response was too large to report. */
  readonly isTooBig?: boolean;
}

/** Messages of a runner over its control descriptor. */
export interface RunnerMessages {
  readonly ready: Promise<void>;
  /** Resolves with the report that contains `mark`, when it arrives. */
  reportOf(mark: string): Promise<Report>;
}

const maxBytes = 8 * 1024 * 1024; // of all lines of a run; no valid report is larger
const maxLines = 100; // a runner needs one
const maxReadyBytes = 128;

const reportSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    mark: v.string(),
    exitCode: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)),
    isReusable: v.boolean(),
    response: v.exactOptional(v.string()),
    isTooBig: v.exactOptional(v.boolean()),
  }),
);

/**
 * Reads the lines of a runner. A script can write to the descriptor too, so a line that is not a message of the current
 * run is ignored without being parsed, and the data of a run is limited.
 *
 * @param onFlood called once, when a run has written more than 8 MB or 100 lines; the rest is ignored
 */
export function readMessages(control: Readable, onFlood: () => void): RunnerMessages {
  const budget = { bytes: maxBytes, lines: maxLines };
  let onReady: (() => void) | undefined;
  let expected: { mark: string; resolve(report: Report): void } | undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const onLine = (line: Buffer) => {
    if (expected === undefined) {
      if (line.length <= maxReadyBytes && isReadyMessage(line)) onReady?.();
    } else if (line.includes(expected.mark)) {
      const report = v.safeParse(reportSchema, line.toString());
      if (report.success && report.output.mark === expected.mark) expected.resolve(report.output);
    }
  };
  readLines(control, budget, { onLine, onFlood });
  return {
    ready,
    reportOf: (mark) =>
      new Promise((resolve) => {
        Object.assign(budget, { bytes: maxBytes, lines: maxLines });
        expected = { mark, resolve };
      }),
  };
}

/** Checks the line, which also names what the kernel has refused; on one machine, the probes have found that before. */
function isReadyMessage(line: Buffer): boolean {
  return /^\{"ready": ?true(, "refused": \[[a-z", ]*\])?\}$/.test(line.toString('latin1'));
}

interface LineHandlers {
  onLine(line: Buffer): void;
  onFlood(): void;
}

/** Reads lines up to a limit. The caller may reset `budget`, the rest of the limit. */
function readLines(
  stream: Readable,
  budget: { bytes: number; lines: number },
  { onLine, onFlood }: LineHandlers,
): void {
  let parts: Buffer[] = [];
  let isFlooded = false;
  const read = (chunk: Buffer) => {
    budget.bytes -= chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      budget.lines -= 1;
      if (budget.lines < 0) return;
      onLine(Buffer.concat([...parts, chunk.subarray(from, end)]));
      parts = [];
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
  };
  stream.on('data', (chunk: Buffer) => {
    if (isFlooded) return;
    read(chunk);
    if (budget.bytes >= 0 && budget.lines >= 0) return;
    isFlooded = true;
    parts = [];
    onFlood();
  });
}
