import { requestMessage } from '../../../core/http/request-log.ts';
import type { LogEntry } from '../../../ports/ports.ts';
import { printableLine } from '../../../values/text/printable.ts';

/** Escape codes for colours of a terminal. */
const styles = { dim: '2', red: '31', yellow: '33' } as const;

/** Colours a text, or leaves it as it is. */
type Paint = (style: keyof typeof styles, text: string) => string;

const colored: Paint = (style, text) => `\u001b[${styles[style]}m${text}\u001b[0m`;
const plain: Paint = (_style, text) => text;

/**
 * Formats an entry for people: time, message and fields in one line, then texts of several lines, indented. Control
 * characters are escaped: clients choose paths, and the text must not control the terminal.
 */
export function readableLine(entry: LogEntry, now: Date, hasColors: boolean): string {
  const paint = hasColors ? colored : plain;
  const { head, fields } = entry.message === requestMessage ? requestOf(entry) : messageOf(entry);
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const details = given.flatMap(([name, value]) =>
    isLong(value) ? [] : [` ${name}=${show(value)}`],
  );
  const blocks = given.flatMap(([name, value]) => (isLong(value) ? [indent(name, value)] : []));
  const line = `${paint('dim', now.toTimeString().slice(0, 8))} ${paintHead(entry, head, paint)}`;
  return `${line}${paint('dim', details.join(''))}\n${blocks.join('')}`;
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n');
}

interface Parts {
  readonly head: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Leaves out the family and the route, which the path shows. */
function requestOf({ method, path, status, durationMs, code, requestId }: LogEntry): Parts {
  const head = `${method} ${printableLine(String(path))} ${status} ${durationMs} ms`;
  return { head, fields: { code, requestId } };
}

function messageOf({ message, level, ...fields }: LogEntry): Parts {
  return { head: printableLine(message), fields };
}

function paintHead({ level, status }: LogEntry, head: string, paint: Paint): string {
  if (level === 'error' || Number(status) >= 500) return paint('red', head);
  return Number(status) >= 400 ? paint('yellow', head) : head;
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printableLine(typeof value === 'string' && /\s/.test(text) ? JSON.stringify(text) : text);
}

function indent(name: string, text: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${printableLine(line)}\n`);
  return `  ${name}:\n${lines.join('')}`;
}
