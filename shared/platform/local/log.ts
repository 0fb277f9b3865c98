import { writeSync } from 'node:fs';
import { codeOf } from '../../values/caught.ts';
import type { Log, LogEntry } from '../ports.ts';

/** Amount of logging; each level includes those before it. */
export type LogLevel = 'error' | 'info' | 'debug';

/** A log, and the function that flushes it. */
export interface LocalLog {
  readonly log: Log;
  /** Writes the lines that are still buffered. */
  readonly flush: () => void;
}

const weights: Readonly<Record<LogLevel, number>> = { error: 0, info: 1, debug: 2 };
const maxWaiting = 200;
const waitMs = 20;
const standardError = 2;

/**
 * Opens a log of JSON lines: time, level, message, then the fields of the entry. Lines are buffered for up to 20 ms and
 * written together; an error is written at once with all lines before it.
 *
 * @param write takes whole lines; standard error when absent
 */
export function openLog(
  level: LogLevel,
  write: (text: string) => void = writeToTerminal,
): LocalLog {
  let waiting: string[] = [];
  const flush = () => {
    if (waiting.length === 0) return;
    const text = waiting.join('');
    waiting = [];
    write(text);
  };
  const log: Log = (entry) => {
    if (weights[entry.level] > weights[level]) return;
    if (waiting.length === 0 && entry.level !== 'error') setTimeout(flush, waitMs);
    waiting.push(toLine(entry));
    if (entry.level === 'error' || waiting.length >= maxWaiting) flush();
  };
  return { log, flush };
}

function toLine(entry: LogEntry): string {
  return `{"time":"${new Date().toISOString()}",${JSON.stringify(entry).slice(1)}\n`;
}

/** Ignores write errors of a reader that is gone or slow: losing a line is better than ending the server. */
function writeToTerminal(text: string): void {
  try {
    writeSync(standardError, text);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EPIPE' && code !== 'EAGAIN' && code !== 'EIO') throw error;
  }
}
