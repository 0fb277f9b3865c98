import { at, type RequestPath } from '../../../../shared/values/text/request-path.ts';
import { type ApiProblem, send, toProblem } from '../../../core/api.ts';

/** A request in a batch. */
export interface BatchItem {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From `/v1.1/` on. */
  readonly path: RequestPath;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The response to a request in a batch. */
export interface BatchEntry {
  readonly code: number;
  readonly content?: unknown;
}

/** Requests of a batch: docs/reference/batch.md#limits. */
export const maxItems = 50;

/**
 * Sends a batch of at most 50 requests. It is never aborted: nobody would know what it has changed. One that only reads
 * has a parameter, which changes nothing: the request log has parameters, but no items.
 *
 * @param isStrict unknown names in an item are an error of the item
 */
export function sendBatch(
  instance: string,
  requests: readonly BatchItem[],
  isStrict = false,
): Promise<readonly BatchEntry[]> {
  const path = at`instances/${instance}/batch/`;
  const query = requests.every(({ method }) => method === 'GET') ? { format: 'json' } : {};
  return send({ method: 'POST', path, query, body: { requests }, isStrict });
}

/** Returns why an item failed; undefined when it did not. */
export function failureOf({ code, content }: BatchEntry): ApiProblem | undefined {
  if (code < 400) return undefined;
  return toProblem(code, content, typeof content === 'string' ? content : '');
}

/** What happened to the items of a long change. */
export interface BatchProgress {
  readonly done: number;
  readonly total: number;
  /** Ids of objects with the reason why they did not change. */
  readonly failures: readonly (readonly [id: number, reason: string])[];
}

/**
 * Sends one request for each id, in batches.
 *
 * @param signal ends the change after the running batch
 * @param onProgress is called after each batch
 */
export async function sendForEach(
  { instance, ids, signal }: { instance: string; ids: readonly number[]; signal: AbortSignal },
  itemOf: (id: number) => BatchItem,
  onProgress: (progress: BatchProgress) => void,
): Promise<BatchProgress> {
  let progress: BatchProgress = { done: 0, total: ids.length, failures: [] };
  for (let start = 0; start < ids.length && !signal.aborted; start += maxItems) {
    const part = ids.slice(start, start + maxItems);
    const entries = await sendBatch(instance, part.map(itemOf));
    const failures = entries.flatMap((entry, index) => {
      const problem = failureOf(entry);
      return problem === undefined ? [] : [[part[index] ?? 0, problem.message] as const];
    });
    progress = {
      ...progress,
      done: progress.done + part.length,
      failures: [...progress.failures, ...failures],
    };
    onProgress(progress);
  }
  return progress;
}
