import {
  allRights,
  instanceOf,
  type ListOf,
  listRoutes,
  notFound,
  recordAt,
} from '../../shared/core/family.ts';
import { cut } from '../../shared/core/resource/page.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { deleteIfExists, deleteItem, putItem, updateItem } from '../../shared/store/writes.ts';
import { accountEntity, memberEntity } from '../../shared/table/entities/accounts.ts';
import { adminEntity } from '../../shared/table/entities/instances.ts';
import type { AccountData, AdminData } from '../../shared/table/records/records.ts';
import { hasFullRole } from '../../shared/values/access.ts';
import { forbidden } from '../../shared/values/errors/errors.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { adminFields } from './fields.ts';

/** A membership joined with its account. */
interface View {
  readonly admin: AdminData;
  readonly account: AccountData;
}

const resource: ListOf<AdminData, View, typeof adminFields> = {
  name: 'Admin',
  operationNames: {
    delete: { id: 'removeAdmin', summary: 'Remove an admin from the instance' },
  },
  path: '/instances/{instance}/admins/',
  item: 'id',
  access: {
    owner: allRights,
    full: allRights,
    write: 'LGD',
    read: 'LGD', // to delete themselves; the rest is a rule of the item
  },
  fields: adminFields,
  links: [{ name: 'self', type: 'detail', to: '' }],
  record: recordAt(adminEntity, ['instance', '{id}']),
  authorizeItem: ({ actor }, { data }, right) => {
    if (right === 'G') return;
    const isSelf = actor.kind === 'admin' && actor.account === data.account;
    if (data.owner) throw forbidden('item_protected');
    if (!(hasFullRole(actor) || (isSelf && right === 'D'))) throw forbidden('role_too_low');
  },
  readItems: async (context, range) => {
    const items = await adminEntity.listAll(context.platform.store, [instanceOf(context)]);
    return cut(
      items.map((item) => ({ pk: item.data.row, item })),
      range,
    );
  },
  view: async ({ platform }, items) => {
    const accounts = await accountEntity.readAll(
      platform.store,
      items.map(({ data }) => [data.account]),
    );
    return items.map(({ data }, at) => viewOf(data, accounts[at]));
  },
  show: (_, { admin, account }) => ({
    id: account.id,
    role: admin.role,
    email: account.email,
    first_name: account.first_name,
    last_name: account.last_name,
  }),
  segment: ({ account }) => String(account.id),
  update: async (context, { current, input }) => {
    const admin: AdminData = { ...current.data, ...input.valid() };
    const instance = ownerOfData(instanceOf(context));
    await commit(context, [
      updateItem(current, admin),
      putItem(memberEntity, memberEntity.key(admin.account, instance), {
        instance,
        role: admin.role,
        owner: false,
      }),
    ]);
    const account = await accountEntity.read(context.platform.store, admin.account);
    return viewOf(admin, account);
  },
  remove: async (context, current) => {
    const key = memberEntity.key(current.data.account, instanceOf(context));
    await commit(context, [deleteItem(current), deleteIfExists(key)]);
  },
};

function viewOf(admin: AdminData, found: Stored<AccountData> | undefined): View {
  const account = found?.data;
  if (account === undefined) throw notFound(); // accounts are never deleted; this one never existed
  return { admin, account };
}

/** The administrators of an instance; they come by invitation (docs/reference/instances.md#members). */
export const adminRoutes = listRoutes(resource);
