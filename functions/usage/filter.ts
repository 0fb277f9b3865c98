import { queryValue } from '../../shared/core/http/message.ts';
import type { QueryParameters } from '../../shared/core/routing/forms.ts';
import { invalid } from '../../shared/values/errors/errors.ts';
import { readDatetime, toBoolean } from '../../shared/values/scalars.ts';
import { type Period, type Source, sources } from './sums.ts';

/** The requested part of the usage; absent members select all. */
export interface UsageFilter {
  /** First and last hour, as the table's keys have them; `start` may be between two. */
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly sources: readonly Source[];
  /** Name of an instance. */
  readonly instance: string | undefined;
  /** Whether all instances are added up. */
  readonly isTotal: boolean;
}

/** Returns the filters, as the interface document describes them. */
export function usageFilterParameters(period: Period): QueryParameters {
  const form = period === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM-DD or YYYY-MM-DDThh:mm:ss.uuuuuuZ';
  return {
    start: { type: 'string', description: `First ${period} to return: ${form}.` },
    end: { type: 'string', description: `Last ${period} to return: ${form}.` },
    source: {
      type: 'string',
      description: 'Returns only rows of this source. Not case-sensitive.',
      choices: sources,
    },
    instance: { type: 'string', description: 'Returns only rows of the instance with this name.' },
    total: {
      type: 'boolean',
      description: 'Returns sums over all instances, on a single page.',
    },
  };
}

/**
 * Reads the filters of a request.
 *
 * @throws ApiError 400 that names the parameter
 */
export function readFilter(query: URLSearchParams, period: Period): UsageFilter {
  const isTotal = toBoolean(queryValue(query, 'total')) === true;
  const end = readMoment(query, 'end', period);
  return {
    start: readMoment(query, 'start', period)?.replace(/:00:00\.0{6}Z$/, ''),
    end: period === 'day' ? end?.replace(/T.*/, 'T23') : end?.slice(0, 13),
    sources: readSources(queryValue(query, 'source')),
    instance: isTotal ? undefined : queryValue(query, 'instance'),
    isTotal,
  };
}

/** Reads a moment; a bare date is its first moment. */
function readMoment(
  query: URLSearchParams,
  name: 'start' | 'end',
  period: Period,
): string | undefined {
  const text = queryValue(query, name);
  if (text === undefined) return undefined;
  const isDate = /^[\d-]{10}$/.test(text);
  if (isDate || period === 'hour') {
    const moment = readDatetime(isDate ? `${text}T00:00:00Z` : text);
    if (moment.ok) return moment.value;
  }
  throw invalid({ [name]: `Enter a valid ${period === 'day' ? 'date' : 'date or datetime'}.` });
}

function readSources(text: string | undefined): readonly Source[] {
  if (text === undefined) return sources;
  const source = sources.find((each) => each === text.toLowerCase());
  if (source === undefined) throw invalid({ source: 'Incorrect value.' });
  return [source];
}
