import { acceptWrites, closeWrites, openInvitation } from '../../shared/accounts/invitations.ts';
import { invitationKey } from '../../shared/accounts/keys.ts';
import {
  type Context,
  callingAccount,
  defineFields,
  endpointRoute,
  type ListOf,
  listRoutes,
  notFound,
  recordAt,
  rowsOf,
  showFields,
  text,
  validInput,
} from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { accountsOnly, open, post } from '../../shared/core/resource/endpoint.ts';
import { gather } from '../../shared/core/resource/page.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored } from '../../shared/store/store.ts';
import { invitedAccountEntity } from '../../shared/table/entities/accounts.ts';
import { instanceEntity, invitationEntity } from '../../shared/table/entities/instances.ts';
import type {
  InvitationData,
  InvitedData,
} from '../../shared/table/records/instances/invitations.ts';
import { instanceSuspended } from '../../shared/values/errors/errors.ts';
import type { ItemRange } from '../../shared/values/paging.ts';
import { keyInvitationFields, ownInvitationFields } from './fields.ts';

/** An open invitation as the invited account sees it. */
interface View {
  readonly data: InvitationData;
  readonly key: string;
  readonly instanceName: string;
  readonly invitation: Stored<InvitationData>;
  readonly isSuspended: boolean;
}

const resource: ListOf<InvitedData, View, typeof ownInvitationFields> = {
  name: 'Account Invitation',
  operationNames: {
    list: { id: 'listAccountInvitations', summary: 'List open invitations to the account' },
    get: { id: 'getAccountInvitation', summary: 'Get an open invitation to the account' },
    delete: { id: 'declineInvitation', summary: 'Decline an invitation' },
  },
  path: '/account/invitations/',
  item: 'id',
  ignoresProjection: true,
  access: accountsOnly,
  fields: ownInvitationFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    {
      name: 'instance',
      type: 'detail',
      to: ({ instanceName }, base) => `${base}${instanceName}/`,
    },
  ],
  record: recordAt(invitedAccountEntity, ['account', '{id}']),
  readItems: (context, range) =>
    gather(
      range,
      (part) => openInvitations(context, part),
      () => true,
    ),
  view: async (context, items) => {
    const views = (await findOpen(context, items)).filter((view) => view !== undefined);
    if (views.length === 0 && context.route.kind === 'detail') throw notFound();
    return views;
  },
  show: showFields(ownInvitationFields, (_, { key, instanceName }) => ({
    key,
    instance: instanceName,
  })),
  segment: ({ data }) => String(data.id),
  remove: decline,
};

/** Returns the pointers of a range; those of closed invitations have no item. */
async function openInvitations(context: Context, range: ItemRange) {
  const account = callingAccount(context).data.id;
  const invited = await rowsOf(context.platform.store, invitedAccountEntity, [account], range);
  const open = await findOpen(
    context,
    invited.map((invitedItem) => invitedItem.item),
  );
  return invited.map(({ pk: row, item }, at) => ({
    pk: row,
    item: open[at] && item,
  }));
}

/** Reads the invitations that pointers refer to; keeps those that are open and have an instance. */
async function findOpen(
  context: Context,
  pointers: readonly Stored<InvitedData>[],
): Promise<readonly (View | undefined)[]> {
  const { store, secrets } = context.platform;
  const [invitations, instances] = await Promise.all([
    invitationEntity.readAll(
      store,
      pointers.map(({ data }) => [data.instance, data.invitation]),
    ),
    instanceEntity.readAll(
      store,
      pointers.map(({ data }) => [data.instance]),
    ),
  ]);
  return Promise.all(
    pointers.map(async ({ data: { instance } }, at): Promise<View | undefined> => {
      const invitation = invitations[at];
      const name = instances[at]?.data.name;
      const isSuspended = instances[at]?.data.isSuspended === true;
      if (invitation?.data.state !== 'new' || name === undefined) return undefined;
      const key = await invitationKey(secrets, instance, invitation.data);
      return { data: invitation.data, key, instanceName: name, invitation, isSuspended };
    }),
  );
}

async function decline(context: Context, pointer: Stored<InvitedData>): Promise<void> {
  const [view] = await findOpen(context, [pointer]);
  if (view === undefined) throw notFound();
  if (view.isSuspended) throw instanceSuspended();
  const account = callingAccount(context).data.id;
  await commit(context, closeWrites(context.platform, view.invitation, 'declined', account));
}

const keyFields = defineFields({ invitation_key: text(128, { required: true }) });

/**
 * Makes the caller a member by an invitation key, whatever address was invited
 * (docs/reference/accounts.md#invitations-of-an-account). The role of a member is raised for the invited address only.
 */
async function accept(context: Context, body: Body) {
  const input = validInput(keyFields, body, 'create');
  const account = callingAccount(context).data;
  await retryOnConflict(async () => {
    const invitation = await openInvitation(context.platform, input.invitation_key);
    await commit(context, await acceptWrites(context.platform, invitation, account));
  });
  return { status: 204 };
}

/** Shows whoever has an invitation key what it is for, before they sign in. */
async function show({ platform }: Context, body: Body) {
  const { invitation_key: key } = validInput(keyFields, body, 'create');
  const { item, instanceName } = await openInvitation(platform, key);
  const { email, role, inviter } = item.data;
  return { status: 200, body: { email, role, instance: instanceName, inviter } };
}

/** Invitations addressed to the calling account, and those of a key. */
export const accountInvitationRoutes = [
  ...listRoutes(resource),
  endpointRoute({
    name: 'Account Invitation Accept',
    operationNames: { POST: { id: 'acceptInvitation', summary: 'Accept an invitation' } },
    path: '/account/invitations/accept/',
    access: accountsOnly,
    response: { status: 204 },
    ...post(keyFields, accept),
  }),
  endpointRoute({
    name: 'Account Invitation Show',
    operationNames: { POST: { id: 'getInvitationByKey', summary: 'Get an invitation by its key' } },
    path: '/account/invitations/show/',
    v1Path: null,
    access: open,
    response: { name: 'Invitation By Key', fields: keyInvitationFields },
    ...post(keyFields, show),
  }),
];
