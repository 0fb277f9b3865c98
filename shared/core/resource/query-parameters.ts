import type { QueryParameters } from '../routing/forms.ts';

/** Parameters that select a page of a list (docs/reference/paging.md#parameters). */
export const pageParameters: QueryParameters = {
  page_size: {
    type: 'integer',
    description: 'Number of items per page. The default and the maximum are 100.',
    min: 0,
  },
  direction: {
    type: 'string',
    description:
      'Direction of paging from `last_pk`: 1 is forward, 0 is backward. `next` and `prev` contain it.',
    choices: ['0', '1'],
  },
  last_pk: {
    type: 'integer',
    description: 'List position of the item adjacent to the page. `next` and `prev` contain it.',
    min: 0,
    max: 2_147_483_647,
  },
};

/** The order of a list by the age of its items. */
export const orderingParameters: QueryParameters = {
  ordering: {
    type: 'string',
    description: 'Order by age: oldest first (`asc`) or newest first (`desc`).',
    choices: ['asc', 'desc'],
  },
};

/** Parameters that select fields of responses (docs/reference/responses.md#field-projection). */
export const projectionParameters: QueryParameters = {
  fields: {
    type: 'string',
    description:
      'Comma-separated names of fields to include. All others are omitted, even required ones.',
  },
  excluded_fields: {
    type: 'string',
    description: 'Comma-separated names of fields to omit, even required ones.',
  },
};

/** Describes a filter by the first letters of a field (docs/reference/paging.md#prefix-filters). */
export function prefixParameters(field: string): QueryParameters {
  return {
    [`${field}__startswith`]: {
      type: 'string',
      description: `Returns only items whose ${field} starts with this text.`,
    },
  };
}
