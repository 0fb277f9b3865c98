import type { Key, Stored } from '../../store/store.ts';
import { instanceCounter } from '../../table/counters.ts';
import { instanceEntity } from '../../table/entities/instances.ts';
import type { AccountData } from '../../table/records/records.ts';
import { notFound, tooManyIds } from '../../values/errors/errors.ts';
import type { Tenant } from '../../values/tenant.ts';
import type { Known } from '../routing/known.ts';
import type { Context } from '../routing/route.ts';

/** Returns the data id of the request's instance on a route in an instance. Dispatch has checked that it exists. */
export function instanceOf({ instanceId, route }: Context): number {
  if (instanceId === undefined) throw new Error(`${route.name} is in no instance`);
  return instanceId;
}

/**
 * Returns the request's instance with its owner, which the record of its name holds. Only the owner of an instance
 * whose name was stored by an earlier version costs a read.
 */
export async function tenantOf(context: Context): Promise<Tenant> {
  const instance = instanceOf(context);
  const owner = context.instanceName?.data.owner ?? (await readOwner(context, instance));
  return { instance, owner };
}

async function readOwner({ platform }: Context, instance: number): Promise<number> {
  const found = await instanceEntity.read(platform.store, instance);
  if (found === undefined) throw notFound(); // deleted since the call began
  return found.data.owner;
}

/**
 * Returns the id for a new item. An operation with a counter reserves it during the first read.
 *
 * @throws ApiError 400 when there are no further ids
 */
export function reservedId({ reserved, route }: Pick<Context, 'reserved' | 'route'>): number {
  if (reserved === undefined) throw new Error(`${route.name} took no id`);
  if (Number.isNaN(reserved)) throw tooManyIds();
  return reserved;
}

/** Returns the account whose key the request has, on resources for accounts only. */
export function callingAccount({ account, route }: Context): Stored<AccountData> {
  if (account === undefined) throw new Error(`${route.name} was reached without an account`);
  return account;
}

/** Returns where the ids of new items come from: a counter of the instance of the path. */
export function idsFrom(name: Parameters<typeof instanceCounter>[1]) {
  return ({ instance }: Pick<Known, 'instance'>): Key | undefined =>
    instance === undefined ? undefined : instanceCounter(instance, name);
}
