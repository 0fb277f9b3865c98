import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { at, joinPaths } from '../../../../shared/values/text/request-path.ts';
import { ApiProblem } from '../../../core/api.ts';
import { failureOf, maxItems, sendBatch } from '../bulk/batches.ts';
import { type ClassReference, objectsPath } from '../object-data.ts';
import { ofFields, problemText } from './check-objects.ts';
import { fileProblem, inWords, type ReadObject } from './read-file.ts';

/** How far an import is. */
export interface ImportReport {
  readonly done: number;
  /** Rows that were not imported. */
  readonly failed: ReadonlySet<number>;
  /** Why the first of them were not. */
  readonly failures: readonly string[];
  /** The first row that was not sent; undefined: all were. */
  readonly end: number | undefined;
  /** Why the file was not read from there on. */
  readonly unread: ApiProblem | undefined;
  /** Whether rows failed for another reason than their values: they may pass when they are sent again. */
  readonly mayPass: boolean;
  /** The last row that was imported, also by an attempt before. */
  readonly last: ReadObject | undefined;
  /** The attempt before: only what it left out was to be imported. */
  readonly before: ImportReport | undefined;
}

const maxBatchLength = 150_000; // characters: a body has a limit of structure too
const maxFailures = 100; // that are shown
const maxFailed = 100_000; // that are kept: the import ends there

interface ReadSource extends Pick<ImportReport, 'before'> {
  /** Those that are to be imported. */
  readonly objects: AsyncGenerator<ReadObject>;
  readonly signal: AbortSignal;
}

type Failure = readonly [row: number, problem: ApiProblem];

/**
 * Sends objects in batches, each as soon as it is full; the file is read on when its response is there. Ends at a batch
 * that the server rejects, and where the file cannot be read any more.
 *
 * @throws ApiProblem when no row can be read
 */
export async function sendObjects(
  ofClass: ClassReference,
  { objects, signal, before }: ReadSource,
  onReport: (report: ImportReport) => void,
): Promise<ImportReport> {
  const failed = new Set<number>();
  let report: ImportReport = {
    ...{ done: 0, failed, failures: [], end: undefined, unread: undefined, mayPass: false },
    ...{ last: before?.last, before },
  };
  let isRejected = false;
  let next = 0;
  let unread: ApiProblem | undefined;
  const onUnread = (error: unknown) => {
    unread = fileProblem(error);
  };
  for await (const batch of batchesOf(objects, onUnread)) {
    if (signal.aborted) return report;
    if (isRejected || failed.size >= maxFailed) return { ...report, end: batch[0]?.row };
    const part = batch.filter((object) => 'values' in object);
    const rejected = await sendPart(ofClass, part).catch((error: unknown) => {
      isRejected = true;
      return part.map(({ row }): Failure => [row, ofBatch(error)]);
    });
    const failures = [...batch.flatMap(failureIn), ...rejected].sort(([a], [b]) => a - b);
    for (const [row] of failures) failed.add(row);
    const texts = failures.map((failure) => problemText(...failure));
    const done = report.done + batch.length - failures.length;
    report = {
      ...report,
      done,
      last: laterOf(
        report.last,
        batch.findLast(({ row }) => !failed.has(row)),
      ),
      failures: [...report.failures, ...texts].slice(0, maxFailures),
      mayPass:
        report.mayPass || isRejected || rejected.some(([, { status }]) => isOfServer(status)),
    };
    next = (batch.at(-1)?.row ?? 0) + 1;
    onReport(report);
  }
  if (unread === undefined) return report;
  if (next === 0) throw unread;
  return { ...report, end: next, unread, mayPass: true };
}

function laterOf(one: ReadObject | undefined, other: ReadObject | undefined) {
  return (other?.row ?? 0) > (one?.row ?? 0) ? other : one;
}

function isOfServer(status: number): boolean {
  return status === 429 || status >= 500;
}

function failureIn(object: ReadObject): Failure[] {
  return 'problem' in object ? [[object.row, object.problem]] : [];
}

/** Groups objects into what fits in a request; the last has what was read before reading failed. */
async function* batchesOf(objects: AsyncGenerator<ReadObject>, onUnread: (error: unknown) => void) {
  let [batch, length] = [[] as ReadObject[], 0];
  try {
    for await (const object of objects) {
      const size = 'values' in object ? writeExactJson(object.values).length : 0;
      if (isFull(batch.length, length + size)) {
        yield batch;
        [batch, length] = [[], 0];
      }
      batch.push(object);
      length += size;
    }
  } catch (error) {
    onUnread(error);
  }
  if (batch.length > 0) yield batch;
}

/** Checks whether a row of the file was to be imported, and was not. */
export function isLeftOut({ before, failed, end }: ImportReport, row: number): boolean {
  const isWanted = before === undefined || isLeftOut(before, row);
  return isWanted && (failed.has(row) || row >= (end ?? Number.POSITIVE_INFINITY));
}

/** Returns the problem of each row of a batch without a response of its own. */
function ofBatch(error: unknown): ApiProblem {
  if (!(error instanceof ApiProblem)) throw error;
  const isKnown = error.status >= 400 && error.status < 500;
  return isKnown
    ? error
    : new ApiProblem(error.status, `${error.message} It may have been imported.`);
}

function isFull(items: number, nextLength: number): boolean {
  return items === maxItems || (items > 0 && nextLength > maxBatchLength);
}

type Sendable = Extract<ReadObject, { readonly values: object }>;

/** Creates objects; returns why some were not. */
async function sendPart(ofClass: ClassReference, part: readonly Sendable[]): Promise<Failure[]> {
  if (part.length === 0) return [];
  const path = joinPaths(at`/v1.1/`, objectsPath(ofClass));
  const items = part.map(({ values }) => ({ method: 'POST' as const, path, body: values }));
  const entries = await sendBatch(ofClass.instance, items, true); // no field is lost in silence
  return entries.flatMap((entry, index): Failure[] => {
    const problem = failureOf(entry);
    const { row = 0, values = {} } = part[index] ?? {};
    return problem === undefined ? [] : [[row, withValues(problem, values)]];
  });
}

function withValues(problem: ApiProblem, values: Sendable['values']): ApiProblem {
  const found = Object.entries(problem.fields).map(
    ([name, message]) => [name, name in values ? inWords(message, values[name]) : message] as const,
  );
  return ofFields(problem.status, found) ?? problem;
}
