import type { Fields } from '../field.ts';
import { type InputMode, isWritable } from '../input.ts';
import {
  orderingParameters,
  pageParameters,
  projectionParameters,
  type QueryParameters,
} from '../query-parameters.ts';
import type { ListResource } from './list-resource.ts';

/** The fields that a body of this kind is described with: what it cannot set is read-only, or not its. */
export function formOf({ fields }: { readonly fields: Fields }, mode: InputMode): Fields {
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

/** The query parameters of a list. */
export function listParameters<Data extends object, View>({
  page,
  isUntrimmed,
  parameters,
}: ListResource<Data, View>): QueryParameters {
  return {
    ...pageParameters,
    ...(page === undefined && orderingParameters), // where it reads its page itself it says so itself
    ...(!isUntrimmed && projectionParameters),
    ...parameters,
  };
}
