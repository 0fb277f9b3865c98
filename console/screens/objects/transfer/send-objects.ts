import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { at, joinPaths } from '../../../../shared/values/text/request-path.ts';
import { failureOf, maxItems, sendBatch } from '../bulk/batches.ts';
import { type ClassReference, objectsPath } from '../object-data.ts';
import type { ReadObject } from './read-file.ts';

/** How far an import is. */
export interface ImportReport {
  readonly done: number;
  readonly failed: number;
  /** The first of them, with their lines. */
  readonly failures: readonly string[];
}

const maxBatchLength = 150_000; // characters: a body has a limit of structure too
const maxFailures = 100; // that are kept

interface ReadSource {
  readonly objects: AsyncGenerator<ReadObject>;
  readonly signal: AbortSignal;
}

/** Sends objects in batches, each as soon as it is full; the file is read on when its response is there. */
export async function sendObjects(
  ofClass: ClassReference,
  { objects, signal }: ReadSource,
  onReport: (report: ImportReport) => void,
): Promise<ImportReport> {
  let report: ImportReport = { done: 0, failed: 0, failures: [] };
  const add = (done: number, problems: readonly string[]) => {
    report = {
      done: report.done + done,
      failed: report.failed + problems.length,
      failures: [...report.failures, ...problems].slice(0, maxFailures),
    };
  };
  let part: Sendable[] = [];
  let length = 0;
  const flush = async () => {
    const full = part;
    part = [];
    length = 0;
    const problems = await sendPart(ofClass, full);
    add(full.length - problems.length, problems);
    onReport(report);
  };
  for await (const object of objects) {
    if (signal.aborted) return report;
    if ('problem' in object) {
      add(0, [`line ${object.line}: ${object.problem}`]);
      if (report.failed <= maxFailures) onReport(report);
      continue;
    }
    const size = writeExactJson(object.values).length;
    if (isFull(part.length, length + size)) await flush();
    part.push(object);
    length += size;
  }
  if (!signal.aborted) await flush();
  return report;
}

function isFull(items: number, nextLength: number): boolean {
  return items === maxItems || (items > 0 && nextLength > maxBatchLength);
}

type Sendable = Extract<ReadObject, { readonly values: object }>;

/** Creates objects; returns why some were not. */
async function sendPart(ofClass: ClassReference, part: readonly Sendable[]): Promise<string[]> {
  if (part.length === 0) return [];
  const path = joinPaths(at`/v1.1/`, objectsPath(ofClass));
  const items = part.map(({ values }) => ({ method: 'POST' as const, path, body: values }));
  const entries = await sendBatch(ofClass.instance, items, true); // no field is lost in silence
  return entries.flatMap((entry, index) => {
    const reason = failureOf(entry);
    return reason === undefined ? [] : [`line ${part[index]?.line}: ${reason}`];
  });
}
