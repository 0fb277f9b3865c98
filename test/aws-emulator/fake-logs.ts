import type {
  FilteredLogEvent,
  FilterLogEventsCommandInput,
} from '@aws-sdk/client-cloudwatch-logs';

/** Logs of functions, by group, as CloudWatch has them. */
export interface FakeLogs {
  /** Adds what a function wrote. */
  add(group: string, lines: readonly string[]): void;
  /** Returns one page of the lines that fit; it has all of them. */
  filter(input: FilterLogEventsCommandInput): { readonly events: readonly FilteredLogEvent[] };
}

/** Creates logs without lines. */
export function createFakeLogs(): FakeLogs {
  const groups = new Map<string, FilteredLogEvent[]>();
  return {
    add: (group, lines) => {
      const events = groups.get(group) ?? [];
      for (const message of lines) {
        events.push({ message, timestamp: Date.parse(JSON.parse(message).timestamp) });
      }
      groups.set(group, events);
    },
    filter: ({ logGroupName = '', startTime = 0, endTime = 0, filterPattern = '', ...more }) => {
      const events = (groups.get(logGroupName) ?? []).filter(
        ({ timestamp = 0, message = '' }) =>
          timestamp >= startTime &&
          timestamp <= endTime &&
          fits(JSON.parse(message), filterPattern),
      );
      return { events: more.startFromHead === false ? events.toReversed() : events };
    },
  };
}

/** Checks a line against a pattern of conditions that must all be met; `||` is between alternatives of one. */
function fits(line: Record<string, unknown>, pattern: string): boolean {
  const conditions = [...pattern.matchAll(/\((\$\.[^)]*)\)/g)];
  if (conditions.length === 0) throw new Error(`a pattern without conditions: ${pattern}`);
  return conditions.every(([, condition = '']) =>
    condition.split(' || ').some((each) => isMet(line, each)),
  );
}

function isMet(line: Record<string, unknown>, condition: string): boolean {
  const [, name = '', operator, value = ''] = /^\$\.(\w+) (=|>=) (.*)$/.exec(condition) ?? [];
  const wanted = JSON.parse(value);
  return operator === '=' ? line[name] === wanted : Number(line[name]) >= wanted;
}
