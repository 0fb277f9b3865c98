import { acceptWrites, closeWrites, openInvitation } from '../../shared/accounts/invitations.ts';
import { invitationKey } from '../../shared/accounts/keys.ts';
import { accountsOnly, endpointRoute, post } from '../../shared/core/resource/endpoint.ts';
import { computed, type Fields, text } from '../../shared/core/resource/field.ts';
import { type Body, validInput } from '../../shared/core/resource/input.ts';
import type { ListResource } from '../../shared/core/resource/lists/list-resource.ts';
import { listRoutes } from '../../shared/core/resource/lists/list-routes.ts';
import { gather, rowsOf } from '../../shared/core/resource/page.ts';
import { callingAccount } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import {
  as,
  instanceEntity,
  invitationEntity,
  invitationPrefix,
  invitedAccountEntity,
} from '../../shared/store/entities.ts';
import type { InvitationData, InvitedData } from '../../shared/store/records/invitations.ts';
import type { Stored } from '../../shared/store/store.ts';
import { notFound } from '../../shared/values/errors/errors.ts';
import type { RowRange } from '../../shared/values/paging.ts';

/** An open invitation as the invited account sees it. */
interface View {
  readonly data: InvitationData;
  readonly key: string;
  readonly instanceName: string;
  readonly invitation: Stored<InvitationData>;
}

const resource: ListResource<InvitedData, View> = {
  name: 'Account Invitation',
  operationNames: {
    list: { id: 'listAccountInvitations', summary: 'List open invitations to the account' },
    get: { id: 'getAccountInvitation', summary: 'Get an open invitation to the account' },
    delete: { id: 'declineInvitation', summary: 'Decline an invitation' },
  },
  path: '/account/invitations/',
  item: 'id',
  isUntrimmed: true,
  access: accountsOnly,
  fields: {
    id: computed('integer'),
    email: computed('email'),
    role: computed('choice'),
    key: computed('string'),
    instance: computed('field', { shows: 'string' }),
    inviter: computed('string'),
    created_at: computed('datetime'),
    updated_at: computed('datetime'),
    state: computed('choice'),
  },
  links: [
    { name: 'self', type: 'detail', to: '' },
    {
      name: 'instance',
      type: 'detail',
      to: ({ instanceName }, base) => `${base}${instanceName}/`,
    },
  ],
  key: ({ account, params }) =>
    account === undefined || params.id === undefined
      ? undefined
      : invitedAccountEntity.key(account, params.id),
  rows: (context, range) =>
    gather(
      range,
      (part) => openRows(context, part),
      () => true,
    ),
  view: async (context, items) => {
    const views = (await findOpen(context, items)).filter((view) => view !== undefined);
    if (views.length === 0 && context.route.kind === 'detail') throw notFound();
    return views;
  },
  show: (_, { data, key, instanceName }) => ({
    id: data.id,
    email: data.email,
    role: data.role,
    key,
    instance: instanceName,
    inviter: data.inviter,
    created_at: data.created_at,
    updated_at: data.updated_at,
    state: data.state,
  }),
  segment: ({ data }) => String(data.id),
  remove: decline,
};

/** Returns the pointers of a range; those of closed invitations have no item. */
async function openRows(context: Context, range: RowRange) {
  const { pk } = invitedAccountEntity.key(callingAccount(context).data.id, 0);
  const rows = await rowsOf<InvitedData>(context.platform.store, pk, invitationPrefix, range);
  const open = await findOpen(
    context,
    rows.map((row) => row.item),
  );
  return rows.map(({ pk: row, item }, at) => ({
    pk: row,
    item: open[at] === undefined ? undefined : item,
  }));
}

/** Reads the invitations that pointers refer to; keeps those that are open and have an instance. */
async function findOpen(
  context: Context,
  pointers: readonly Stored<InvitedData>[],
): Promise<readonly (View | undefined)[]> {
  const { store, secrets } = context.platform;
  const [invitations, instances] = await Promise.all([
    store.get(pointers.map(({ data }) => invitationEntity.key(data.instance, data.invitation))),
    store.get(pointers.map(({ data }) => instanceEntity.key(data.instance))),
  ]);
  return Promise.all(
    pointers.map(async ({ data: { instance } }, at): Promise<View | undefined> => {
      const invitation = as(invitationEntity, invitations[at]);
      const name = as(instanceEntity, instances[at])?.data.name;
      if (invitation?.data.state !== 'new' || name === undefined) return undefined;
      const key = await invitationKey(secrets, instance, invitation.data);
      return { data: invitation.data, key, instanceName: name, invitation };
    }),
  );
}

async function decline(context: Context, pointer: Stored<InvitedData>): Promise<void> {
  const [view] = await findOpen(context, [pointer]);
  if (view === undefined) throw notFound();
  const account = callingAccount(context).data.id;
  await commit(context, closeWrites(context.platform, view.invitation, 'declined', account));
}

const acceptFields: Fields = { invitation_key: text(128, { required: true }) };

/**
 * Makes the caller a member by an invitation key, whatever address was invited
 * (docs/reference/accounts.md#invitations-of-an-account). The role of a member is raised for the invited address only.
 */
async function accept(context: Context, body: Body) {
  const input = validInput(acceptFields, body, 'create') as { invitation_key: string }; // validated
  const account = callingAccount(context).data;
  await retryOnConflict(async () => {
    const invitation = await openInvitation(context.platform, input.invitation_key);
    await commit(context, await acceptWrites(context.platform, invitation, account));
  });
  return { status: 204 };
}

/** Invitations addressed to the calling account. */
export const accountInvitationRoutes = [
  ...listRoutes(resource),
  endpointRoute({
    name: 'Account Invitation Accept',
    operationNames: { POST: { id: 'acceptInvitation', summary: 'Accept an invitation' } },
    path: '/account/invitations/accept/',
    access: accountsOnly,
    answer: { status: 204 },
    ...post(acceptFields, accept),
  }),
];
