import { type Context, instanceOf, reservedId } from '../../../shared/core/family.ts';
import type { Values } from '../../../shared/core/resource/input.ts';
import { newJob } from '../../../shared/jobs/jobs.ts';
import { syncEndpoints } from '../../../shared/push/push-endpoints.ts';
import { tokenCode } from '../../../shared/push/rules/device-ids.ts';
import type { PushProvider } from '../../../shared/push/rules/provider.ts';
import { commit, commitUnique } from '../../../shared/store/commit.ts';
import type { Stored, Write } from '../../../shared/store/store.ts';
import {
  createItem,
  deleteIfExists,
  deleteItem,
  updateItem,
} from '../../../shared/store/writes.ts';
import { pushDeviceEntity, pushDevicePositionEntity } from '../../../shared/table/entities/push.ts';
import { userEntity } from '../../../shared/table/entities/users.ts';
import type { PushDeviceData } from '../../../shared/table/records/push.ts';
import { invalid } from '../../../shared/values/errors/errors.ts';
import { messages } from '../../../shared/values/errors/messages.ts';
import { timestamp } from '../../../shared/values/timestamp.ts';
import { onlyUser } from './device-access.ts';
import type { DeviceFields } from './device-fields.ts';

type View = { readonly data: PushDeviceData };

/**
 * Registers a device (docs/reference/push.md#devices).
 *
 * @throws ApiError 400 also when the token is registered
 */
export async function createDevice(
  context: Context,
  provider: PushProvider,
  input: Values<DeviceFields, 'create'>,
): Promise<View> {
  const own = onlyUser(context.actor);
  const user = input.user ?? own ?? null;
  await checkUser(context, user, own ?? null);
  const position = reservedId(context);
  const at = timestamp(context.platform.clock.micros());
  const data: PushDeviceData = { ...input, user, row: position, created_at: at, updated_at: at };
  const code = tokenCode(provider, data.registration_id);
  const key = pushDeviceEntity.key(instanceOf(context), provider, code);
  const writes = [
    createItem(pushDeviceEntity, key, data),
    ...positionKeys(context, provider, data).map((each) =>
      createItem(pushDevicePositionEntity, each, { code }),
    ),
  ];
  await commitUnique(context, writes, (write) =>
    write === writes[0] ? invalid({ registration_id: [messages.unique] }) : undefined,
  );
  return { data };
}

/** Checks the user of a device: users cannot transfer devices, other callers can name any existing user. */
async function checkUser(
  context: Context,
  user: number | null,
  before: number | null,
): Promise<void> {
  if (user === before) return;
  if (onlyUser(context.actor) !== undefined) {
    throw invalid({ user: ['Cannot change owner of Device.'] });
  }
  if (user === null) return;
  const found = await userEntity.read(context.platform.store, instanceOf(context), user);
  if (found === undefined) throw invalid({ user: [messages.noSuchPk(user)] });
}

/** Returns keys of a device in the list of all devices and in its user's. */
function positionKeys(
  context: Context,
  provider: PushProvider,
  { row: position, user }: PushDeviceData,
) {
  const users = user === null ? [undefined] : [undefined, user];
  return users.map((each) =>
    pushDevicePositionEntity.key(instanceOf(context), provider, each, position),
  );
}

/** Changes a device; the push service learns later whether it is active. Tries once. */
export async function updateDevice(
  context: Context,
  provider: PushProvider,
  {
    current,
    changes,
  }: {
    readonly current: Stored<PushDeviceData>;
    /** Without the token, which does not change. */
    readonly changes: Values<DeviceFields, 'replace' | 'patch'>;
  },
): Promise<View> {
  const before = current.data;
  const { user = before.user } = changes;
  await checkUser(context, user, before.user);
  const updated_at = timestamp(context.platform.clock.micros());
  const data: PushDeviceData = { ...before, ...changes, updated_at };
  const moved = before.user === user ? [] : movePosition(context, provider, before, data);
  const followUps =
    before.is_active === data.is_active ? [] : [newServiceJob(context, provider, before)];
  await commit(context, [updateItem(current, data), ...moved, ...followUps]);
  return { data };
}

/** Moves a device from one user's list to another's. */
function movePosition(
  context: Context,
  provider: PushProvider,
  before: PushDeviceData,
  after: PushDeviceData,
): readonly Write[] {
  const code = tokenCode(provider, after.registration_id);
  const [, from] = positionKeys(context, provider, before);
  const [, to] = positionKeys(context, provider, after);
  return [
    ...(from === undefined ? [] : [deleteIfExists(from)]),
    ...(to === undefined ? [] : [createItem(pushDevicePositionEntity, to, { code })]),
  ];
}

export async function removeDevice(
  context: Context,
  provider: PushProvider,
  current: Stored<PushDeviceData>,
): Promise<void> {
  await commit(context, [
    deleteItem(current),
    ...positionKeys(context, provider, current.data).map(deleteIfExists),
    newServiceJob(context, provider, current.data),
  ]);
}

function newServiceJob(
  context: Context,
  provider: PushProvider,
  { registration_id: token }: PushDeviceData,
): Write {
  const task = { instance: instanceOf(context), provider, token };
  return newJob(context.platform, syncEndpoints, task);
}
