import { type Context, instanceOf, reservedId, type Update } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { type Input, validValues } from '../../shared/core/resource/input.ts';
import {
  freedPosition,
  type NamedKind,
  newName,
  takeName,
} from '../../shared/core/resource/named-records.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Stored } from '../../shared/store/store.ts';
import { deleteItem, updateItem } from '../../shared/store/writes.ts';
import {
  dataEndpointEntity,
  dataEndpointPositionEntity,
} from '../../shared/table/entities/endpoints.ts';
import { classNumbersEntity } from '../../shared/table/entities/instances.ts';
import type { ClassNumbersData, DataEndpointData } from '../../shared/table/records/records.ts';
import { type FieldErrors, parentNotFound } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { dataEndpointFields } from './fields.ts';
import type { NumbersContext } from './loads.ts';

export const dataEndpointKind: NamedKind<DataEndpointData> = {
  entity: dataEndpointEntity,
  positionEntity: dataEndpointPositionEntity,
};

/** A data endpoint, without joined records. */
export type EndpointView = Pick<Stored<DataEndpointData>, 'data'>;

type Numbers = ClassNumbersData['numbers'];

/** Returns numbers of the instance's classes by name, as read with the item. */
export function classNumbersOf({ loaded: { classNumbers } }: NumbersContext): Numbers {
  if (classNumbers === undefined) throw parentNotFound('Instance'); // deleted or renamed since
  return classNumbers.data.numbers;
}

/**
 * Returns whether the class of an endpoint exists: the endpoint is deleted with it
 * (docs/reference/data-endpoints.md#deletion).
 */
export function hasClass(data: DataEndpointData, numbers: Numbers): boolean {
  return Object.hasOwn(numbers, data.class) && numbers[data.class] === data.classNumber;
}

/** Creates a data endpoint; the name of one that was deleted with its class is free. */
export async function createDataEndpoint(
  context: Context,
  input: Input<typeof dataEndpointFields, 'create'>,
): Promise<EndpointView> {
  const reading = input.read();
  const { name = '' } = reading.values;
  return retryOnConflict(async () => {
    const { holder, numbers } = await readHolder(context, name);
    const draft = validValues(reading, classErrors(reading.values, numbers));
    const bound = bindingOf(draft.class, numbers);
    const data: DataEndpointData = { ...draft, ...bound, row: reservedId(context) };
    await takeName(context, dataEndpointKind, {
      data,
      holder,
      field: 'name',
      isLiving: (other) => hasClass(other, numbers),
    });
    return { data };
  });
}

/** Changes a data endpoint, except its name. */
export async function updateDataEndpoint(
  context: NumbersContext,
  { current, input }: Update<DataEndpointData, typeof dataEndpointFields>,
): Promise<EndpointView> {
  const reading = input.read();
  const numbers = classNumbersOf(context);
  const draft = validValues(reading, classErrors(reading.values, numbers));
  const bound = draft.class !== undefined && bindingOf(draft.class, numbers);
  const data: DataEndpointData = { ...current.data, ...draft, ...bound };
  await commit(context, [updateItem(current, data)]);
  return { data };
}

/** Renames a data endpoint; the old name is free with the same transaction. */
export async function renameDataEndpoint(
  context: Context,
  current: Stored<DataEndpointData>,
  body: Body,
): Promise<EndpointView> {
  const name = newName(body);
  if (name === current.data.name) return current;
  const { holder, numbers } = await readHolder(context, name);
  const data: DataEndpointData = { ...current.data, name };
  await takeName(context, dataEndpointKind, {
    data,
    holder,
    field: 'new_name',
    isLiving: (other) => hasClass(other, numbers),
    more: [deleteItem(current)],
  });
  return { data };
}

export async function removeDataEndpoint(
  context: Context,
  current: Stored<DataEndpointData>,
): Promise<void> {
  await commit(context, [
    deleteItem(current),
    freedPosition(context, dataEndpointKind, current.data),
  ]);
}

interface Holder {
  /** The current holder of a name. */
  readonly holder: Stored<DataEndpointData> | undefined;
  readonly numbers: Numbers;
}

async function readHolder(context: Context, name: string): Promise<Holder> {
  const { holder, numbers } = await readTogether(context.platform.store, {
    holder: dataEndpointEntity.at(instanceOf(context), name),
    numbers: classNumbersEntity.at(context.params.instance ?? ''),
  });
  if (numbers === undefined) throw parentNotFound('Instance'); // deleted or renamed since
  return { holder, numbers: numbers.data.numbers };
}

/** Returns the messages for a name that no class has. */
function classErrors({ class: typed }: { readonly class?: string }, numbers: Numbers): FieldErrors {
  const isKnown = typed === undefined || Object.hasOwn(numbers, typed.toLowerCase());
  return isKnown ? {} : { class: [messages.noSuchName(typed)] };
}

/** Returns the class of a name, which has been checked. */
function bindingOf(
  typed: string,
  numbers: Numbers,
): Pick<DataEndpointData, 'class' | 'classNumber'> {
  const name = typed.toLowerCase();
  const classNumber = numbers[name];
  if (classNumber === undefined) throw new Error('a data endpoint has no class');
  return { class: name, classNumber };
}
