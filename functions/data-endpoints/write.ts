import { type Body, type Input, readInput } from '../../shared/core/resource/input.ts';
import type { Update } from '../../shared/core/resource/lists/list-resource.ts';
import {
  freedRow,
  type NamedKind,
  newName,
  takeName,
} from '../../shared/core/resource/named-records.ts';
import { instanceOf, reservedId } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import {
  as,
  classNumbersEntity,
  dataEndpointEntity,
  dataEndpointRowEntity,
  dataEndpointRowPrefix,
} from '../../shared/store/entities.ts';
import type { ClassNumbersData, DataEndpointData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { remove, replace } from '../../shared/store/writes.ts';
import { type FieldErrors, invalid, parentNotFound } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { endpointFields } from './fields.ts';

export const kind: NamedKind<DataEndpointData> = {
  entity: dataEndpointEntity,
  rowEntity: dataEndpointRowEntity,
  rowPrefix: dataEndpointRowPrefix,
};

/** A data endpoint, without joined records. */
export type EndpointView = Pick<Stored<DataEndpointData>, 'data'>;

type Numbers = ClassNumbersData['numbers'];

/** Returns numbers of the instance's classes by name, as read with the item. */
export function classNumbersOf({ records }: Context): Numbers {
  const found = as(classNumbersEntity, records.classNumbers);
  if (found === undefined) throw parentNotFound('Instance'); // deleted or renamed since
  return found.data.numbers;
}

/**
 * Returns whether the class of an endpoint exists: the endpoint is deleted with it
 * (docs/reference/data-endpoints.md#deletion).
 */
export function isLiving(data: DataEndpointData, numbers: Numbers): boolean {
  return Object.hasOwn(numbers, data.class) && numbers[data.class] === data.classNumber;
}

/** Values of a valid body of an endpoint except its name; unchanged ones are absent. */
type Draft = Partial<Omit<DataEndpointData, 'name' | 'row'>>;

/** Creates a data endpoint; the name of one that was deleted with its class is free. */
export async function createEndpoint(context: Context, body: Body): Promise<EndpointView> {
  const input = readInput(endpointFields, body, 'create');
  const { name = '' } = input.values as { readonly name?: string }; // validated
  return retryOnConflict(async () => {
    const { holder, numbers } = await readHolder(context, name);
    const draft = checked(input, numbers);
    const data = { ...draft, name, row: reservedId(context) } as DataEndpointData; // all fields have initial values
    await takeName(context, kind, {
      data,
      holder,
      field: 'name',
      isLiving: (other) => isLiving(other, numbers),
    });
    return { data };
  });
}

/** Changes a data endpoint, except its name. */
export async function updateEndpoint(
  context: Context,
  { current, body, mode }: Update<DataEndpointData>,
): Promise<EndpointView> {
  const draft = checked(readInput(endpointFields, body, mode), classNumbersOf(context));
  const data: DataEndpointData = { ...current.data, ...draft };
  await commit(context, [replace(current, data)]);
  return { data };
}

/** Renames a data endpoint; the old name is free with the same transaction. */
export async function renameEndpoint(
  context: Context,
  current: Stored<DataEndpointData>,
  body: Body,
): Promise<EndpointView> {
  const name = newName(body);
  if (name === current.data.name) return current;
  const { holder, numbers } = await readHolder(context, name);
  const data: DataEndpointData = { ...current.data, name };
  await takeName(context, kind, {
    data,
    holder,
    field: 'new_name',
    isLiving: (other) => isLiving(other, numbers),
    more: [remove(current)],
  });
  return { data };
}

export async function removeEndpoint(
  context: Context,
  current: Stored<DataEndpointData>,
): Promise<void> {
  await commit(context, [remove(current), freedRow(context, kind, current.data)]);
}

interface Holder {
  /** The current holder of a name. */
  readonly holder: Stored<DataEndpointData> | undefined;
  readonly numbers: Numbers;
}

async function readHolder(context: Context, name: string): Promise<Holder> {
  const [holder, numbers] = await context.platform.store.get([
    dataEndpointEntity.key(instanceOf(context), name),
    classNumbersEntity.key(context.params.instance ?? ''),
  ]);
  const found = as(classNumbersEntity, numbers);
  if (found === undefined) throw parentNotFound('Instance'); // deleted or renamed since
  return { holder: as(dataEndpointEntity, holder), numbers: found.data.numbers };
}

/**
 * Looks up the class that a body names, and throws the messages of all failed fields together.
 *
 * @throws ApiError 400
 */
function checked({ values, errors }: Input, numbers: Numbers): Draft {
  const { class: typed, ...others } = values as JsonObject & { readonly class?: string }; // validated
  const failed: Record<string, FieldErrors[string]> = { ...errors };
  const name = typed?.toLowerCase();
  const number = name !== undefined && Object.hasOwn(numbers, name) ? numbers[name] : undefined;
  if (typed !== undefined && number === undefined) failed.class = [messages.noSuchName(typed)];
  if (Object.keys(failed).length > 0) throw invalid(failed);
  const bound =
    name === undefined || number === undefined ? {} : { class: name, classNumber: number };
  return { ...(others as Draft), ...bound }; // validated
}
