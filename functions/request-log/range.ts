import type { Context } from '../../shared/core/family.ts';
import { queryValue } from '../../shared/core/http/message.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import {
  oldestMicros,
  type RequestPosition,
  type RequestRange,
} from '../../shared/ports/request-log.ts';
import { incorrectPage, invalid } from '../../shared/values/errors/errors.ts';
import { type Paging, rangeAhead } from '../../shared/values/paging.ts';
import { readDatetime, toBoolean } from '../../shared/values/scalars.ts';

const statusClasses = ['2xx', '3xx', '4xx', '5xx'];
const moment = 'YYYY-MM-DDThh:mm:ss.uuuuuuZ';

/** Query parameters of the log (docs/reference/request-log.md#filters). */
export const rangeParameters: QueryParameters = {
  status: { type: 'string', description: 'Class of the status.', choices: statusClasses },
  errors: { type: 'boolean', description: 'Returns only requests with status 400 or higher.' },
  method: {
    type: 'string',
    description: 'Method of the request, or some with commas between them. Not case-sensitive.',
  },
  route: { type: 'string', description: 'Template of the path, as `route` shows it.' },
  request_id: { type: 'string', description: 'Id of the request.' },
  since: { type: 'string', description: `Earliest time: ${moment}.` },
  until: { type: 'string', description: `Latest time: ${moment}.` },
};

/**
 * Reads the range of a request's page.
 *
 * @throws ApiError 400 that names the parameter
 */
export function readLogRange({ request, platform }: Context, paging: Paging): RequestRange {
  const { query } = request;
  const nowMicros = platform.clock.micros();
  const { descending, limit } = rangeAhead(paging, true);
  const status = readMatching(query, 'status', /^[2-5]xx$/);
  return {
    filter: {
      statusClass: status === undefined ? undefined : Number(status[0]),
      errorsOnly: toBoolean(queryValue(query, 'errors')) === true,
      methods: readMatching(query, 'method', /^[a-z]{1,20}(,[a-z]{1,20}){0,9}$/i)
        ?.toUpperCase()
        .split(','),
      route: readMatching(query, 'route', /^\/[\w/{}.-]{0,200}$/),
      requestId: readMatching(query, 'request_id', /^[\w=+/-]{1,64}$/),
    },
    sinceMicros: Math.max(readMoment(query, 'since') ?? 0, oldestMicros(nowMicros)),
    untilMicros: Math.min(readMoment(query, 'until') ?? nowMicros, nowMicros),
    descending,
    beyond: readPosition(query, paging),
    limit,
  };
}

function readMatching(query: URLSearchParams, name: string, pattern: RegExp): string | undefined {
  const text = queryValue(query, name);
  if (text !== undefined && !pattern.test(text)) throw invalid({ [name]: 'Incorrect value.' });
  return text;
}

function readMoment(query: URLSearchParams, name: string): number | undefined {
  const text = queryValue(query, name);
  const micros = text === undefined ? undefined : microsOf(text);
  if (Number.isNaN(micros)) throw invalid({ [name]: 'Enter a valid datetime.' });
  return micros;
}

/** Returns the position that a link names: a time and a number. */
function readPosition(query: URLSearchParams, { lastPk }: Paging): RequestPosition | undefined {
  if (lastPk === undefined) return undefined;
  const atMicros = microsOf(queryValue(query, 'last_value') ?? '');
  if (Number.isNaN(atMicros)) throw incorrectPage();
  return { atMicros, pk: lastPk };
}

/** Returns microseconds since 1970; NaN for a text that is no datetime. */
function microsOf(text: string): number {
  const read = readDatetime(text);
  if (!read.ok) return Number.NaN;
  const [seconds = '', fraction] = read.value.slice(0, -1).split('.');
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction);
}
