import type { Fields, QueryParameters } from '../../routing/forms.ts';
import { type InputMode, isWritable } from '../input.ts';
import { orderingParameters, pageParameters, projectionParameters } from '../query-parameters.ts';
import type { ListResource } from './list-resource.ts';

/** Returns the fields that describe a body of this mode; fields that it cannot set are read-only or omitted. */
export function bodyForm({ fields }: { readonly fields: Fields }, mode: InputMode): Fields {
  const shown = Object.entries(fields).filter(
    ([, field]) => field.writable !== 'update' || isWritable(field, mode),
  );
  return Object.fromEntries(
    shown.map(([name, field]) => [
      name,
      isWritable(field, mode) ? field : { ...field, writable: 'never' as const },
    ]),
  );
}

/** Returns the query parameters of a list. */
export function listParameters<Data extends object, View, Loaded extends object>({
  page,
  ignoresProjection,
  parameters,
}: ListResource<Data, View, Fields, Loaded>): QueryParameters {
  return {
    ...pageParameters,
    ...(page === undefined && orderingParameters), // a list that reads its page itself declares its order itself
    ...(!ignoresProjection && projectionParameters),
    ...parameters,
  };
}
