import { adminEntity, as, instanceNameEntity, memberEntity } from '../../shared/store/entities.ts';
import type { Role } from '../../shared/store/records.ts';
import { insert } from '../../shared/store/writes.ts';
import { expected, type World } from './api.ts';

/**
 * Makes an account and puts it straight into the store as an administrator of the world's instance. There is no
 * way through the interface until invitations have a family of their own.
 *
 * @returns the account's key
 */
export async function plantAdmin(world: World, role: Role): Promise<string> {
  const { api, instance, account } = world;
  const key = await account(`${role}-of-${instance}@example.com`);
  const { id } = expected(await api.send({ as: key, path: '/v1.1/account/' }), 200);
  const { store, ids } = api.platform;
  const [item] = await store.get([instanceNameEntity.key(instance)]);
  const scope = as(instanceNameEntity, item)?.data.instance;
  if (scope === undefined) throw new Error(`no instance ${instance}`);
  const rights = { role, owner: false };
  const created_at = '2020-01-01T00:00:00.000000Z';
  const admin = { account: id, ...rights, created_at };
  await store.write({
    id: ids.random(),
    change: { actor: {}, cause: 'maintenance', depth: 0 },
    writes: [
      insert(memberEntity, memberEntity.key(id, scope), { instance: scope, ...rights }),
      insert(adminEntity, adminEntity.key(scope, id), admin),
    ],
  });
  return key;
}
