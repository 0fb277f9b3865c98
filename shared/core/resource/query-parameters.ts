/** A query parameter, as the interface document describes it. */
export interface QueryParameter {
  /** `json` is JSON text. */
  readonly type: 'integer' | 'string' | 'boolean' | 'json';
  readonly description: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** Query parameters by name. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>;

/** How a page of a list is asked for (docs/reference/paging.md#parameters). */
export const pageParameters: QueryParameters = {
  page_size: {
    type: 'integer',
    description: 'Items on a page; 100 without it, and never more.',
    min: 0,
  },
  direction: {
    type: 'string',
    description: 'Which way `last_pk` is left: 1 forward, 0 backward. As in `next` and `prev`.',
    choices: ['0', '1'],
  },
  last_pk: {
    type: 'integer',
    description: 'The item next to the page. As in `next` and `prev`.',
    min: 0,
    max: 2_147_483_647,
  },
};

/** The order of a list by the age of its items. */
export const orderingParameters: QueryParameters = {
  ordering: {
    type: 'string',
    description: 'Oldest first or newest first.',
    choices: ['asc', 'desc'],
  },
};

/** How answers are cut to what a client wants (docs/reference/responses.md#field-projection). */
export const trimParameters: QueryParameters = {
  fields: {
    type: 'string',
    description: 'Names with commas between: all other fields are left out, required ones as well.',
  },
  excluded_fields: {
    type: 'string',
    description: 'Names with commas between: these fields are left out, required ones as well.',
  },
};

/** A filter by the first letters of a field (docs/reference/paging.md#prefix-filters). */
export function prefixParameters(field: string): QueryParameters {
  return {
    [`${field}__startswith`]: {
      type: 'string',
      description: `Lists only those whose ${field} begins so.`,
    },
  };
}
