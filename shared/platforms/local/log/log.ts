import { writeSync } from 'node:fs';
import type { Log, LogEntry } from '../../../ports/ports.ts';
import { codeOf } from '../../../values/caught.ts';
import { readableLine } from './readable.ts';

/** Amount of logging; each level includes those before it. */
export type LogLevel = 'error' | 'info' | 'debug';

/** Form of the lines: text for people, JSON for programs. */
export type LogFormat = 'text' | 'json';

/** Amount, form and destination of a log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Undefined: text if standard error is a terminal, otherwise JSON. */
  readonly format?: LogFormat | undefined;
  /** Takes whole lines; standard error when absent. */
  readonly write?: (text: string) => void;
}

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
 * Opens a log: time, level, message, then the fields of the entry. Lines are buffered for up to 20 ms and written
 * together; an error is written at once with all lines before it.
 */
export function openLog({
  level,
  format = defaultFormat(),
  write = writeToTerminal,
}: LogOptions): LocalLog {
  const hasColors = process.stderr.isTTY === true && process.stderr.hasColors();
  const toLine =
    format === 'json' ? toJson : (entry: LogEntry) => readableLine(entry, new Date(), hasColors);
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

/** Standard error decides, not standard output: it takes the lines, and a file for a program to read may take it. */
function defaultFormat(): LogFormat {
  return process.stderr.isTTY ? 'text' : 'json';
}

let lastMs = Number.NaN;
let lastTime = '';

/** Returns the current time, formatted once a millisecond: of a busy server's line that is a third of the cost. */
function currentTime(): string {
  const ms = Date.now();
  if (ms !== lastMs) lastTime = new Date(ms).toISOString();
  lastMs = ms;
  return lastTime;
}

function toJson(entry: LogEntry): string {
  return `{"time":"${currentTime()}",${JSON.stringify(entry).slice(1)}\n`;
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
