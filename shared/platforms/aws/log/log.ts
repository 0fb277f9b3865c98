import { requestMessage } from '../../../core/http/request-log.ts';
import type { Log, LogEntry } from '../../../ports/ports.ts';
import type { RequestRecord } from '../../../ports/request-log.ts';
import { processVariables } from '../../../ports/setting-variables.ts';
import { type MetricsSource, requestMembers, tickMembers } from './metrics.ts';

/** The amount of logging; each level includes those before it. */
export type LambdaLogLevel = 'error' | 'info' | 'debug';

const weights: Readonly<Record<LambdaLogLevel, number>> = { error: 0, info: 1, debug: 2 };

/** Options of a log. */
export interface LogOptions {
  readonly level: LambdaLogLevel;
  /** Where the metrics of requests belong, which are part of their lines. */
  readonly metrics: MetricsSource;
  /** Takes the number of requests to the table since its last call. */
  readonly tableRequests: () => number;
  /** Takes whole lines; standard output when absent. */
  readonly write?: (line: string) => void;
}

/**
 * Opens a log of JSON lines, one an entry. `timestamp` and `level` are the names that Lambda expects in lines that a
 * function writes by itself (functions with the log format JSON).
 */
export function openLog({ level, write = writeToOutput, ...given }: LogOptions): Log {
  const source = { ...given, memory: openMemoryFigure() };
  return (entry, request) => {
    if (weights[entry.level] <= weights[level]) write(toLine(entry, request, source));
  };
}

interface LineSource extends Pick<LogOptions, 'metrics' | 'tableRequests'> {
  readonly memory: MemoryFigure;
}

function toLine(
  { level, ...rest }: LogEntry,
  request: RequestRecord | undefined,
  source: LineSource,
): string {
  const now = new Date();
  const entry = {
    timestamp: now.toISOString(),
    level: level.toUpperCase(),
    ...rest,
    ...(request && recordMembers(request)),
    ...membersOf(rest, source, now.getTime()),
  };
  return `${JSON.stringify(entry)}\n`;
}

/** Returns the members of a request's line that only the log of its instance needs; the line has the others. */
function recordMembers(record: RequestRecord): Record<string, unknown> {
  const { instance, ids, parameters, requestBytes, responseBytes, caller, callerId } = record;
  return {
    instance,
    ids: ids || undefined,
    parameters: parameters || undefined,
    requestBytes,
    responseBytes,
    caller,
    callerId,
  };
}

/** Returns what a line reports in addition: metrics, and now and then the memory of the process. */
function membersOf(
  { message, status }: Omit<LogEntry, 'level'>,
  { metrics, tableRequests, memory }: LineSource,
  nowMs: number,
): Record<string, unknown> | undefined {
  if (message === requestMessage) {
    const figures = { status: Number(status), tableRequests: tableRequests(), nowMs };
    return Object.assign(requestMembers(metrics, figures), memory(nowMs));
  }
  if (message === tickMessage) return Object.assign(tickMembers(metrics, nowMs), memory(nowMs));
  return undefined;
}

/** Message of the line that the background function writes once a minute. */
export const tickMessage = 'tick';

/** In MB; the limit is that of the function. */
interface MemoryMembers {
  readonly memoryMb: number;
  readonly memoryLimitMb: number;
}

type MemoryFigure = (nowMs: number) => MemoryMembers | undefined;

const memoryMs = 60_000;

/** Creates the function that returns the peak memory of this process (MB) for one line a minute. */
function openMemoryFigure(): MemoryFigure {
  const memoryLimitMb = Number(processVariables().AWS_LAMBDA_FUNCTION_MEMORY_SIZE ?? 0);
  let lastMs = Number.NEGATIVE_INFINITY;
  return (nowMs) => {
    if (nowMs - lastMs < memoryMs) return undefined;
    lastMs = nowMs;
    const memoryMb = Math.ceil(process.resourceUsage().maxRSS / 1024);
    return { memoryMb, memoryLimitMb };
  };
}

// not by the console, which the runtime would wrap into its own line
function writeToOutput(line: string): void {
  process.stdout.write(line);
}
