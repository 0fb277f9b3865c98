import { type ApiError, detailError, invalid } from '../../values/errors/errors.ts';

/*
 * Error responses for filters and orders, each written once (docs/reference/queries.md#errors,
 * docs/reference/queries.md#order_by). The message under `query` is a text, not a list, unless the query as a whole has
 * a wrong form.
 */

function badQuery(message: string): ApiError {
  return invalid({ query: message }, 'query_invalid');
}

/** Parts of error messages: messages about values name lookups without their underscore. */
export interface LookupName {
  /** With its underscore. */
  readonly lookup: string;
  readonly field: string;
}

/** 400 responses to a bad `query`. */
export const queryErrors = {
  /** The query as a whole, or a nested one, has a wrong form. */
  form: (messages: readonly string[]) => invalid({ query: messages }, 'query_invalid'),
  notJson: () => badQuery('Not a valid JSON string.'),
  unknownField: (name: string) => badQuery(`Invalid field name defined: "${name}".`),
  notIndexed: (name: string) =>
    badQuery(`Field "${name}" cannot be used in a query as it is not indexed.`),
  notLookups: (name: string) =>
    badQuery(`Invalid field "${name}" lookup type. Expected JSON object.`),
  unknownLookup: ({ lookup, field }: LookupName) =>
    badQuery(`Invalid lookup "${lookup}" defined for field "${field}".`),
  valueType: ({ lookup, field }: LookupName) =>
    badQuery(`Invalid value type provided for "${lookup.slice(1)}" lookup of field "${field}".`),
  value: ({ lookup, field }: LookupName, message: string) =>
    badQuery(
      `Validation of value provided for "${lookup.slice(1)}" lookup of field "${field}" failed: ${message}`,
    ),
  tooManyValues: ({ lookup, field }: LookupName, limit: number) =>
    badQuery(
      `Too many values provided for "${lookup.slice(1)}" lookup of field "${field}". Max ${limit}.`,
    ),
  noTextLookup: (lookup: string) =>
    badQuery(`${lookup.slice(1)} is not supported on this field type.`),
  coordinates: () => badQuery('Invalid longitude/latitude values.'),
  distance: () => badQuery('Invalid distance value.'),
  noTarget: (name: string) => badQuery(`Referenced class "${name}" does not exist.`),
} as const;

/** 400 responses to a bad `order_by`. */
export const orderErrors = {
  incorrect: () => detailError(400, 'Incorrect order_by parameter provided.', 'order_invalid'),
  cannotUse: () => detailError(400, 'Cannot use specified order_by field.', 'order_invalid'),
  noIndex: () =>
    detailError(
      400,
      'Cannot use specified order_by field. Set required index on schema first.',
      'order_invalid',
    ),
} as const;

/** 408: a list would take more reads or time than one request may. */
export function queryTookTooLong(): ApiError {
  return detailError(408, 'Requested query took too long. Timeout was reached.', 'query_timeout');
}
