import { requestMessage } from '../../../core/http/request-log.ts';
import type { Log, LogEntry, Meter } from '../../../ports/ports.ts';
import { ownerOfData } from '../../../values/keys/data-ids.ts';
import { countDurations, type Durations } from '../counts/durations.ts';
import { filesPath } from '../files/files-path.ts';

/** Requests by family, and by the first digit of their status. */
export interface RequestCounts {
  /** Returns a log whose lines of requests are counted: each request has exactly one. */
  counting(log: Log): Log;
  read(): Iterable<readonly [family: string, status: string, durations: Durations]>;
}

const statuses = ['2xx', '3xx', '4xx', '5xx'];
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Label of requests that no family serves: unknown paths, and those that are rejected before. */
const none = 'none';
const files = 'files';

/** Opens counts of the requests of some families, and of those for files and for nothing; labels are of no request. */
export function openRequestCounts(families: readonly string[]): RequestCounts {
  const all = [...families, files, none];
  const byFamily = new Map(
    all.map((family) => [family, statuses.map(() => countDurations(bounds))]),
  );
  const others = byFamily.get(none);

  function add({ family, path, status, durationMs }: LogEntry): void {
    const own = byFamily.get((family as string | undefined) ?? familyOf(path)) ?? others; // as `logRequest` made them
    own?.[Math.floor(Number(status) / 100) - 2]?.add(Number(durationMs) / 1000);
  }

  return {
    counting: (log) => (entry) => {
      if (entry.message === requestMessage) add(entry);
      log(entry);
    },
    read: function* () {
      for (const [family, durations] of byFamily) {
        for (const [at, ofStatus] of durations.entries()) {
          yield [family, statuses[at] ?? '', ofStatus];
        }
      }
    },
  };
}

function familyOf(path: unknown): string {
  return String(path).startsWith(filesPath) ? files : none;
}

/** Requests by instance. */
export interface InstanceCounts {
  /** Returns a meter whose requests are counted. */
  counting(meter: Meter): Meter;
  /** Returns the busiest instances, at most `limit` of them. */
  busiest(limit: number): readonly (readonly [instance: number, requests: number])[];
}

/** Instances that are counted at a time; beyond that the half with fewer requests is dropped, and starts again at 0. */
const maxInstances = 10_000;

/** Opens counts of the requests of instances. */
export function openInstanceCounts(): InstanceCounts {
  let counts = new Map<number, number>();
  const ranked = () => [...counts].toSorted(([, a], [, b]) => b - a);
  return {
    counting: (meter) => {
      const countRequest: Meter['countRequest'] = (data) => {
        const instance = ownerOfData(data);
        if (counts.size >= maxInstances) counts = new Map(ranked().slice(0, maxInstances / 2));
        counts.set(instance, (counts.get(instance) ?? 0) + 1);
        meter.countRequest(data);
      };
      return Object.assign({}, meter, { countRequest });
    },
    busiest: (limit) => ranked().slice(0, limit),
  };
}
