import type { Log, LogEntry } from '../ports.ts';

/** The amount of logging; each level includes those before it. */
export type LogLevel = 'error' | 'info' | 'debug';

const weights: Readonly<Record<LogLevel, number>> = { error: 0, info: 1, debug: 2 };

/**
 * Opens a log of JSON lines, one an entry. `timestamp` and `level` are the names that Lambda expects in lines that a
 * function writes by itself (functions with the log format JSON).
 *
 * @param write takes whole lines; standard output when absent
 */
export function openLog(level: LogLevel, write: (line: string) => void = writeToOutput): Log {
  return (entry) => {
    if (weights[entry.level] <= weights[level]) write(toLine(entry));
  };
}

function toLine({ level, ...rest }: LogEntry): string {
  const entry = { timestamp: new Date().toISOString(), level: level.toUpperCase(), ...rest };
  return `${JSON.stringify(entry)}\n`;
}

// not by the console, which the runtime would wrap into its own line
function writeToOutput(line: string): void {
  process.stdout.write(line);
}
