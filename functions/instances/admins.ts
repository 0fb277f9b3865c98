import { computed, role } from '../../shared/core/resource/field.ts';
import { validInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { cut } from '../../shared/core/resource/page.ts';
import { instanceOf } from '../../shared/core/resource/place.ts';
import { allUnder } from '../../shared/store/all-under.ts';
import { commit } from '../../shared/store/commit.ts';
import {
  accountEntity,
  adminEntity,
  adminPrefix,
  as,
  memberEntity,
} from '../../shared/store/entities.ts';
import type { AccountData, AdminData } from '../../shared/store/records/records.ts';
import type { Stored } from '../../shared/store/store.ts';
import { erase, store as put, remove, replace } from '../../shared/store/writes.ts';
import { allRights, hasFullRole } from '../../shared/values/access.ts';
import { forbidden, notFound } from '../../shared/values/errors/errors.ts';

/** A membership joined with its account. */
interface View {
  readonly admin: AdminData;
  readonly account: AccountData;
}

const resource: ListResource<AdminData, View> = {
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
  fields: {
    id: computed('field', { shows: 'integer' }),
    role: role(),
    email: computed('field', { shows: 'string' }),
    first_name: computed('field', { shows: 'string' }),
    last_name: computed('field', { shows: 'string' }),
  },
  links: [{ name: 'self', type: 'detail', to: '' }],
  key: ({ instance, params }) =>
    instance === undefined || params.id === undefined
      ? undefined
      : adminEntity.key(instance, params.id),
  authorizeItem: ({ actor }, { data }, right) => {
    if (right === 'G') return;
    const isSelf = actor.kind === 'admin' && actor.account === data.account;
    if (data.owner) throw forbidden('item_protected');
    if (!(hasFullRole(actor) || (isSelf && right === 'D'))) throw forbidden('role_too_low');
  },
  rows: async (context, range) => {
    const { pk } = adminEntity.key(instanceOf(context), 0);
    const items = await allUnder(context.platform.store, { pk, sk: adminPrefix });
    const rows = items.map((found) => {
      const item = as(adminEntity, found);
      return { pk: item.data.row, item };
    });
    return cut(rows, range);
  },
  view: async ({ platform }, items) => {
    const accounts = await platform.store.get(
      items.map(({ data }) => accountEntity.key(data.account)),
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
  update: async (context, { current, body, mode }) => {
    const changes: Pick<Partial<AdminData>, 'role'> = validInput(resource.fields, body, mode); // validated
    const admin: AdminData = { ...current.data, ...changes };
    const instance = instanceOf(context);
    await commit(context, [
      replace(current, admin),
      put(memberEntity, memberEntity.key(admin.account, instance), {
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
    await commit(context, [remove(current), erase(key)]);
  },
};

function viewOf(admin: AdminData, found: Stored | undefined): View {
  const account = as(accountEntity, found)?.data;
  if (account === undefined) throw notFound(); // accounts are never deleted; this one never existed
  return { admin, account };
}

/** The administrators of an instance; they come by invitation (docs/reference/instances.md#members). */
export const adminRoutes = listRoutes(resource);
