import type { Turns } from '../store/store.ts';

/** Kinds of callers in the request log; a script acts on behalf of the owner of its instance. */
export const callerKinds = ['account', 'api_key', 'user', 'script', 'anonymous'] as const;
export type CallerKind = (typeof callerKinds)[number];

/**
 * A request in the log of its instance, in a form that costs little to write. This is an allow-list: no path, value of a parameter, header, body or address,
 * so that no credential is in it (docs/reference/request-log.md#fields).
 */
export interface RequestRecord {
  /** Microseconds since 1970 at which the response was complete. */
  readonly atMicros: number;
  /** Id of the instance, which no later instance of its name has. */
  readonly instance: number;
  readonly requestId: string;
  readonly method: string;
  /** Template of the path, with the version. */
  readonly route: string;
  /** Ids and names of resources in the path: `class=book,id=7`. */
  readonly ids: string;
  /** Names of the parameters of the query that the path knows; `other` stands for all others: `fields,other`. */
  readonly parameters: string;
  readonly status: number;
  readonly durationMicros: number;
  readonly requestBytes: number;
  /** Undefined: the response was streamed. */
  readonly responseBytes: number | undefined;
  /** Undefined: the request was rejected before its caller was known. */
  readonly caller: CallerKind | undefined;
  readonly callerId: number | undefined;
}

/** The position of a record: records of one moment are ordered by a number made of their request ids. */
export interface RequestPosition {
  readonly atMicros: number;
  readonly pk: number;
}

/** Selects records; absent filters select all. */
export interface RequestFilter {
  /** The first digit of the status. */
  readonly statusClass: number | undefined;
  readonly errorsOnly: boolean;
  /** One of these. */
  readonly methods: readonly string[] | undefined;
  readonly route: string | undefined;
  readonly requestId: string | undefined;
}

/** A range of the log of an instance, whose records are read away from one of its ends. */
export interface RequestRange {
  readonly filter: RequestFilter;
  /** Microseconds since 1970, both inclusive. */
  readonly sinceMicros: number;
  readonly untilMicros: number;
  readonly descending: boolean;
  /** The record next to the page, itself not a part of it. */
  readonly beyond: RequestPosition | undefined;
  readonly limit: number;
}

/** Records in the order of the range. */
export interface RequestsRead {
  readonly records: readonly RequestRecord[];
  /** Where the time for reading ended: everything before this moment was read. Undefined: the range was read. */
  readonly stoppedMicros: number | undefined;
}

/** The requests of instances in the last 24 hours, within bounds of space. */
export interface RequestLog {
  /** Reason why no requests are logged, as a sentence; undefined: they are. */
  readonly offReason: string | undefined;
  /**
   * Reads a part of an instance's log.
   *
   * @param turns how the read shares the process, and when it has to end
   */
  read(
    instance: number,
    range: RequestRange,
    turns: Turns & { isSpent(): boolean },
  ): Promise<RequestsRead>;
}

const dayMicros = 86_400_000_000;

/** Returns the moment before which no record is shown. */
export function oldestMicros(nowMicros: number): number {
  return nowMicros - dayMicros;
}

/** Returns the position of a record. */
export function requestPosition({ atMicros, requestId }: RequestRecord): RequestPosition {
  let pk = 0;
  for (let at = 0; at < requestId.length; at += 1) {
    pk = (pk * 31 + requestId.charCodeAt(at)) % 2_147_483_647;
  }
  return { atMicros, pk };
}

/** Compares positions in the order of a range. */
export function comparePositions(
  a: RequestPosition,
  b: RequestPosition,
  { descending }: Pick<RequestRange, 'descending'>,
): number {
  const order = a.atMicros - b.atMicros || a.pk - b.pk;
  return descending ? -order : order;
}

/** Checks whether a record is in a range. */
export function isInRange(record: RequestRecord, range: RequestRange): boolean {
  const { filter, beyond, sinceMicros, untilMicros } = range;
  const { atMicros, status } = record;
  if (atMicros < sinceMicros || atMicros > untilMicros) return false;
  if (beyond !== undefined && comparePositions(requestPosition(record), beyond, range) <= 0)
    return false;
  if (filter.errorsOnly && status < 400) return false;
  const { statusClass = Math.floor(status / 100), methods = [record.method] } = filter;
  const { route = record.route, requestId = record.requestId } = filter;
  return (
    Math.floor(status / 100) === statusClass &&
    methods.includes(record.method) &&
    record.route === route &&
    record.requestId === requestId
  );
}
