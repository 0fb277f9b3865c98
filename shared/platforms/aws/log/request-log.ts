import type {
  CloudWatchLogsClient,
  FilterLogEventsCommandInput,
  FilterLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';
import type { Clock } from '../../../ports/ports.ts';
import {
  comparePositions,
  isInRange,
  type RequestLog,
  type RequestRange,
  type RequestRecord,
  type RequestsRead,
  requestPosition,
} from '../../../ports/request-log.ts';
import { serverBusy } from '../../../values/errors/errors.ts';
import { clientLimits, naming } from '../sdk/client.ts';
import { linePattern, readLine } from './request-line.ts';

/** Options of the request log of a deployment. */
export interface RequestLogSource {
  /** Names of the log groups of functions that serve requests in instances. */
  readonly groups: readonly string[];
  readonly clock: Clock;
  /** Created with the first read when absent. */
  readonly client?: CloudWatchLogsClient;
}

const sdk = () => import('@aws-sdk/client-cloudwatch-logs'); // one function reads
const limits = { requestMs: 5000, maxAttempts: 4 };

/** CloudWatch searches for a page no longer than this, and with no more requests. */
const readMs = 15_000;
const maxRequests = 150;
/** In all regions an account may send five requests per second, in some more. */
const groupsAtOnce = 5;

const minuteMicros = 60_000_000;
/** Widths of the parts of a range that are read one after the other; the last part is the rest. */
const partMicros = [15 * minuteMicros, 120 * minuteMicros];
/** Between the time of a record and that of its line. */
const slackMs = 5000;

/**
 * Opens the request log of a deployment: it is read from the lines of the functions, in which each request has one
 * anyway. A page is searched in parts of its range, the nearest first, in all log groups together.
 */
export function openRequestReader({ groups, clock, client }: RequestLogSource): RequestLog['read'] {
  let opened: CloudWatchLogsClient | undefined;
  return async (instance, range) => {
    const { CloudWatchLogsClient, FilterLogEventsCommand } = await sdk();
    opened ??= naming(client ?? new CloudWatchLogsClient(clientLimits(limits)));
    const send = opened.send.bind(opened);
    const mayAsk = openBudget(clock);
    const search: Search = {
      instance,
      range,
      ask: async (input) => (mayAsk() ? send(new FilterLogEventsCommand(input)) : undefined),
    };
    return readParts(groups, search);
  };
}

/** Reads one part of a range after the other, until there are enough records. */
async function readParts(groups: readonly string[], search: Search): Promise<RequestsRead> {
  const { limit, descending } = search.range;
  const records: RequestRecord[] = [];
  let stoppedMicros: number | undefined;
  for (const part of partsOf(search.range)) {
    const found = await readGroups(groups, part, search);
    if (found === undefined && stoppedMicros === undefined) throw serverBusy(retrySeconds);
    if (found === undefined) return { records, stoppedMicros };
    records.push(...found);
    if (records.length >= limit) break;
    stoppedMicros = descending ? part.sinceMicros : part.untilMicros;
  }
  return { records: records.slice(0, limit), stoppedMicros: undefined };
}

const retrySeconds = 5;

type Part = Pick<RequestRange, 'sinceMicros' | 'untilMicros'>;

/** Returns the parts of a range beyond its position, in its order. */
function partsOf({ sinceMicros, untilMicros, descending, beyond }: RequestRange): readonly Part[] {
  const parts: Part[] = [];
  let from = beyond?.atMicros ?? (descending ? untilMicros : sinceMicros);
  for (const width of [...partMicros, Number.MAX_SAFE_INTEGER]) {
    const part = descending
      ? { sinceMicros: Math.max(from - width, sinceMicros), untilMicros: from }
      : { sinceMicros: from, untilMicros: Math.min(from + width, untilMicros) };
    if (part.sinceMicros > part.untilMicros) break;
    parts.push(part);
    from = descending ? part.sinceMicros - 1 : part.untilMicros + 1;
  }
  return parts;
}

/** Returns the function that counts requests, and tells whether one more may be sent. */
function openBudget(clock: Clock): () => boolean {
  const endMs = clock.steadyMs() + readMs;
  let requests = 0;
  return () => {
    requests += 1;
    return requests <= maxRequests && clock.steadyMs() < endMs;
  };
}

interface Search {
  readonly instance: number;
  readonly range: RequestRange;
  /** Sends a request; undefined: none may be sent any more. */
  ask(input: FilterLogEventsCommandInput): Promise<FilterLogEventsCommandOutput | undefined>;
}

/** Reads a part of all groups, in order; undefined when the time or the requests did not suffice. */
async function readGroups(
  groups: readonly string[],
  part: Part,
  search: Search,
): Promise<readonly RequestRecord[] | undefined> {
  const records: RequestRecord[] = [];
  for (let at = 0; at < groups.length; at += groupsAtOnce) {
    const some = groups.slice(at, at + groupsAtOnce);
    const found = await Promise.all(some.map((group) => readGroup(group, part, search)));
    for (const each of found) {
      if (each === undefined) return undefined;
      records.push(...each);
    }
  }
  const { range } = search;
  return records.sort((a, b) => comparePositions(requestPosition(a), requestPosition(b), range));
}

/** Reads a part of a group: all of it, or as many records as the page may have. */
async function readGroup(
  logGroupName: string,
  part: Part,
  { instance, range, ask }: Search,
): Promise<readonly RequestRecord[] | undefined> {
  const records: RequestRecord[] = [];
  let nextToken: string | undefined;
  do {
    const found = await ask({
      logGroupName,
      startTime: Math.floor(part.sinceMicros / 1000) - slackMs,
      endTime: Math.ceil(part.untilMicros / 1000) + slackMs,
      filterPattern: linePattern(instance, range.filter),
      startFromHead: !range.descending,
      nextToken,
    });
    if (found === undefined) return undefined;
    for (const { message = '' } of found.events ?? []) {
      const record = readLine(message);
      const isOwn = record?.instance === instance && isInRange(record, { ...range, ...part });
      if (record !== undefined && isOwn) records.push(record);
    }
    nextToken = found.nextToken;
  } while (nextToken !== undefined && records.length < range.limit);
  return records;
}
