import { describeOperations } from '../../functions/schema/describe.ts';
import type { Route } from '../../shared/core/routing/route.ts';
import { versions } from '../../shared/core/routing/versions.ts';
import type { Exchange, Judge, Verdict, Violation } from './judge.ts';
import { openMatcher } from './matcher.ts';

/** What was judged, counted by operation. */
export interface Verdicts {
  /** Has an exchange judged, unless it is of a kind that is not. */
  add(exchange: Exchange, judge: Judge['judge']): Promise<void>;
  /** Returns the number of exchanges with violations. */
  violations(): number;
  /** Returns the ids of operations that had no success. */
  missing(): readonly string[];
  /** Returns texts for a person. */
  report(): string;
}

/** A request for a page, as browsers send it. */
const wantsPage = ({ path, headers }: Exchange) =>
  /[?&]format=html/.test(path) || headers.accept?.startsWith('text/html') === true;

/** Exchanges that are not judged. */
const unjudged: readonly {
  readonly reason: string;
  readonly applies: (exchange: Exchange) => boolean;
}[] = [
  {
    reason: 'HEAD and OPTIONS: the document describes them in words, for all paths',
    applies: ({ method }) => method === 'HEAD' || method === 'OPTIONS',
  },
  {
    reason: 'a body that is not JSON: Prism never responds to it',
    applies: ({ headers, body }) =>
      /\bjson\b/.test(headers['content-type'] ?? '') &&
      body.length > 0 &&
      !succeeds(() => JSON.parse(body.toString())),
  },
  {
    reason: 'a path whose escapes are no text: Prism never responds to it',
    applies: ({ path }) => !succeeds(() => decodeURIComponent(path.split('?')[0] ?? '')),
  },
  {
    reason: 'a Content-Type with a malformed parameter: Prism ends',
    applies: ({ headers }) => !wellFormedType.test(headers['content-type'] ?? 'text/plain'),
  },
  {
    reason: 'a part of a form without a name: Prism ends',
    applies: ({ body }) => /form-data\r\n/.test(body.toString('latin1')),
  },
  {
    reason: 'a form with a file without a media type: Prism ends',
    applies: ({ body }) => /filename\*?=[^\r\n]*\r\n\r\n/.test(body.toString('latin1')),
  },
  {
    reason: 'a part whose head is not as browsers write it: Prism ends',
    applies: ({ body }) => body.toString('latin1').includes('\r\ncontent-disposition:'),
  },
  {
    reason: 'a page for browsers: the document describes the JSON',
    applies: wantsPage,
  },
  {
    reason: 'a script endpoint named p: Prism takes its path for that of a public link',
    applies: ({ path }) => /\/(scripts|webhooks)\/p\/(?![0-9a-f]{56}\/)/i.test(path),
  },
];

const wellFormedType = /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[^"]*"|[^\s";,]+))*\s*$/;

/** Violations that do not count. */
const tolerated: readonly {
  readonly reason: string;
  readonly applies: (exchange: Exchange, violation: Violation) => boolean;
}[] = [
  {
    reason: 'a projection: the document describes whole items',
    applies: ({ path }, { location, message }) =>
      /[?&](excluded_)?fields=/.test(path) &&
      location[0] === 'response' &&
      message.includes('must have required property'),
  },
  {
    reason: 'a key under an old name, or in the body: OpenAPI cannot name a key in a body',
    applies: ({ path, body }, { message }) =>
      message === 'Invalid security scheme used' &&
      (/[?&](api|user)key=/.test(path) || body.includes('_api_key')),
  },
  {
    reason: 'a path where no key is read: Prism reports the header Authorization there',
    applies: ({ path, headers }, { message }) =>
      message === 'Invalid security scheme used' &&
      (/\/p\//.test(path) || /\/account\/auth\//.test(path)) &&
      headers.authorization !== undefined,
  },
  {
    reason: 'a value in another spelling, as forms have it: the document describes one spelling',
    applies: ({ body }, { location, message }) =>
      location[0] === 'request' &&
      ['body', 'query'].includes(location[1] ?? '') &&
      (/ must be (equal to|array|object|string|integer|number|boolean)/.test(message) ||
        hasOuterSpace(body, location.slice(2))),
  },
  {
    reason: 'a rendering: its template determines what it is',
    applies: ({ path, headers }, { location }) =>
      location[0] === 'response' &&
      (/[?&]template(_response)?=/.test(path) ||
        'x-template' in headers ||
        'x-template-response' in headers),
  },
  {
    reason: 'a user without a profile, whom only a test puts into the store',
    applies: ({ responseBody }, { location, message }) =>
      location.join('.') === 'response.body.profile' &&
      message.endsWith('must be object') &&
      responseBody.includes('"profile":null'),
  },
  {
    reason: 'a room for a channel that has none, which the server ignores',
    applies: (_, { location, message }) =>
      location.join('.') === 'request.body.room' && message.includes('128 characters'),
  },
  {
    reason: 'a name after a public link, which the server ignores',
    applies: ({ path }, { location }) =>
      location.join('.') === 'request.path.endpoint' && path.includes('/p/'),
  },
  {
    reason: 'a body where there are no fields, which the server ignores',
    applies: (_, { message }) =>
      message === 'No supported content types, but request included a non-empty body',
  },
];

/** Whether a member of a body is text that is trimmed before it is checked. */
function hasOuterSpace(body: Buffer, location: readonly string[]): boolean {
  const text = body.toString();
  if (!succeeds(() => JSON.parse(text))) return false;
  const value = location.reduce((outer, name) => Object(outer)[name], JSON.parse(text));
  return typeof value === 'string' && value.trim() !== value;
}

/** Opens counters for the operations of routes. */
export function openVerdicts(routes: readonly Route[]): Verdicts {
  const operations = versions.flatMap((version) => describeOperations(routes, version).operations);
  const ids = [...new Set(operations.map(({ id }) => id))];
  const operationOf = openMatcher(operations);
  const judged = new Map<string, number>();
  const succeeded = new Set<string>();
  const left = new Map<string, number>();
  const found = new Map<string, number>();
  const examples = new Map<string, string>();
  const missing = () => ids.filter((id) => !succeeded.has(id));
  let bad = 0;
  const count = (exchange: Exchange, id: string, violations: readonly Violation[]) => {
    const { method, path, status } = exchange;
    const excuse = (each: Violation) => tolerated.find(({ applies }) => applies(exchange, each));
    const counting = violations.filter((each) => excuse(each) === undefined);
    for (const each of violations) increase(left, excuse(each)?.reason);
    if (counting.length > 0) bad++;
    for (const violation of counting) {
      const text = `${id} ${status}: ${textOf(violation)}`;
      increase(found, text);
      examples.set(text, `${method} ${path}`);
    }
  };
  return {
    add: async (exchange, judge) => {
      const id = operationOf(exchange);
      const reason = reasonNotToJudge(exchange);
      if (id === undefined || reason !== undefined) {
        increase(left, reason ?? 'no operation has this method and path');
        return;
      }
      const isSuccess = hasSucceeded(exchange);
      const verdict = await (isSuccess ? judgeTwice(exchange, judge) : judge(exchange));
      const { isPassedOn, violations } = verdict;
      if (!isPassedOn && !isSuccess) {
        increase(left, 'a request that the server rejects, and Prism does not pass on');
        return;
      }
      increase(judged, id);
      if (isSuccess) succeeded.add(id);
      const counting = violations.filter(({ location }) => location[0] === 'response' || isSuccess);
      count(exchange, id, counting);
    },
    violations: () => bad,
    missing,
    report: () =>
      [
        ...[...found].map(([text, times]) => `${times} times ${text} (${examples.get(text)})`),
        ...[...left].map(([text, times]) => `left out ${times} times: ${text}`),
        `without a success: ${missing().join(', ') || 'none'}`,
        `${sumOf(judged)} exchanges of ${judged.size} operations judged, ${bad} with violations`,
        '',
      ].join('\n'),
  };
}

/** Has an exchange judged again if Prism was late, on a busy machine. */
async function judgeTwice(exchange: Exchange, judge: Judge['judge']): Promise<Verdict> {
  const verdict = await judge(exchange);
  return verdict.isPassedOn ? verdict : judge(exchange);
}

function reasonNotToJudge(exchange: Exchange): string | undefined {
  return unjudged.find(({ applies }) => applies(exchange))?.reason;
}

function hasSucceeded({ status }: Exchange): boolean {
  return status >= 200 && status < 300;
}

/** Returns the text of a violation without the positions of list items. */
function textOf({ location, message }: Violation): string {
  const place = location.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.');
  return `${place}: ${message.replace(/\.\d+/g, '.*')}`;
}

function increase(counts: Map<string, number>, name: string | undefined): void {
  if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
