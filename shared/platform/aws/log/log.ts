import { requestMessage } from '../../../core/http/request-log.ts';
import type { Log, LogEntry } from '../../ports.ts';
import { type MetricsPlace, requestMembers } from './metrics.ts';

/** The amount of logging; each level includes those before it. */
export type LogLevel = 'error' | 'info' | 'debug';

const weights: Readonly<Record<LogLevel, number>> = { error: 0, info: 1, debug: 2 };

/** Options of a log. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Where the metrics of requests belong, which are part of their lines. */
  readonly metrics: MetricsPlace;
  /** Takes the number of requests to the table since its last call. */
  readonly tableRequests: () => number;
  /** Takes whole lines; standard output when absent. */
  readonly write?: (line: string) => void;
}

/**
 * Opens a log of JSON lines, one an entry. `timestamp` and `level` are the names that Lambda expects in lines that a
 * function writes by itself (functions with the log format JSON).
 */
export function openLog({ level, write = writeToOutput, ...source }: LogOptions): Log {
  return (entry) => {
    if (weights[entry.level] <= weights[level]) write(toLine(entry, source));
  };
}

function toLine(
  { level, ...rest }: LogEntry,
  { metrics, tableRequests }: Pick<LogOptions, 'metrics' | 'tableRequests'>,
): string {
  const now = new Date();
  const members =
    rest.message === requestMessage &&
    requestMembers(metrics, {
      status: Number(rest.status),
      tableRequests: tableRequests(),
      nowMs: now.getTime(),
    });
  const entry = { timestamp: now.toISOString(), level: level.toUpperCase(), ...rest, ...members };
  return `${JSON.stringify(entry)}\n`;
}

// not by the console, which the runtime would wrap into its own line
function writeToOutput(line: string): void {
  process.stdout.write(line);
}
