import * as v from 'valibot';
import { type Context, instanceOf, rowsOf } from '../../../shared/core/family.ts';
import { queryValue } from '../../../shared/core/http/message.ts';
import { gather, type ListItems } from '../../../shared/core/resource/page.ts';
import type { QueryParameters } from '../../../shared/core/routing/forms.ts';
import { deviceIdValue } from '../../../shared/push/rules/device-ids.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import { pushDeviceEntity, pushDevicePositionEntity } from '../../../shared/table/entities/push.ts';
import { userEntity } from '../../../shared/table/entities/users.ts';
import type { PushDeviceData } from '../../../shared/table/records/push.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { messages } from '../../../shared/values/errors/messages.ts';
import type { ItemRange } from '../../../shared/values/paging.ts';
import { recordId } from '../../../shared/values/record-id.ts';
import type { ValueSchema } from '../../../shared/values/values.ts';
import { onlyUser } from './device-access.ts';

/** Query parameters of the list of devices. */
export const deviceListParameters: QueryParameters = {
  device_id: { type: 'string', description: 'Returns only devices with this id.' },
  user: { type: 'integer', description: 'Returns only devices of this user.', min: 1 },
  is_active: {
    type: 'boolean',
    description: 'Returns only devices that are active, or only inactive ones.',
  },
};

interface Filter {
  readonly device_id: string | undefined;
  readonly user: number | undefined;
  readonly is_active: boolean | undefined;
}

/** Lists selected devices of a range that the caller may see, in the order of their creation. */
export async function listDevices(
  context: Context,
  provider: PushProvider,
  range: ItemRange,
): Promise<ListItems<PushDeviceData>> {
  const { device_id, user: wanted, is_active } = await readFilter(context, provider);
  const own = onlyUser(context.actor);
  if (own !== undefined && wanted !== undefined && wanted !== own) return [];
  const user = own ?? wanted;
  return gather<PushDeviceData>(
    range,
    (part) => readPositions(context, { provider, user }, part),
    ({ item: { data } }) =>
      (user === undefined || data.user === user) &&
      (device_id === undefined || data.device_id === device_id) &&
      (is_active === undefined || data.is_active === is_active),
  );
}

async function readPositions(
  context: Context,
  { provider, user }: { readonly provider: PushProvider; readonly user: number | undefined },
  range: ItemRange,
) {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const listItems = await rowsOf(
    store,
    pushDevicePositionEntity,
    [instance, provider, user],
    range,
  );
  const items = await pushDeviceEntity.readAll(
    store,
    listItems.map(({ item }) => [instance, provider, item.data.code]),
  );
  return listItems.map((listItem, at) => ({ pk: listItem.pk, item: items[at] }));
}

async function readFilter(context: Context, provider: PushProvider): Promise<Filter> {
  const { query } = context.request;
  const read = <T>(name: string, schema: ValueSchema<T>): T | undefined => {
    const value = queryValue(query, name);
    if (value === undefined || value === '') return undefined;
    const result = v.safeParse(schema, value);
    if (!result.success) throw invalid({ [name]: result.issues.map(({ message }) => message) });
    return result.output;
  };
  const user = read('user', recordId());
  if (user !== undefined) {
    const found = await userEntity.read(context.platform.store, instanceOf(context), user);
    if (found === undefined) throw invalid({ user: [messages.noSuchPk(user)] });
  }
  return {
    device_id: read('device_id', deviceIdValue(provider)),
    user,
    is_active: readActive(query),
  };
}

/** Parses the filter; words in any case (docs/reference/push.md#devices). */
function readActive(query: URLSearchParams): boolean | undefined {
  const word = queryValue(query, 'is_active')?.toLowerCase() ?? '';
  if (word === '') return undefined;
  if (['true', 't', '1'].includes(word)) return true;
  if (['false', 'f', '0'].includes(word)) return false;
  throw invalid({ is_active: [messages.badBoolean(word)] });
}
