import { pointerDeletes } from '../../shared/accounts/invitations.ts';
import { firstKey, invitationKey } from '../../shared/accounts/keys.ts';
import { planMail, sendMail, sendMailAfterwards } from '../../shared/accounts/mail/send-mail.ts';
import {
  allRights,
  type Context,
  callingAccount,
  endpointRoute,
  instanceOf,
  type ListOf,
  type LoadedOf,
  listRoutes,
  notFound,
  recordAt,
  reservedId,
  rowsOf,
  showFields,
} from '../../shared/core/family.ts';
import type { Input } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commit } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Write } from '../../shared/store/store.ts';
import { createItem, deleteIfExists, deleteItem, updateItem } from '../../shared/store/writes.ts';
import { deploymentCounter } from '../../shared/table/counters.ts';
import {
  emailEntity,
  invitedAccountEntity,
  invitedEmailEntity,
  memberEntity,
} from '../../shared/table/entities/accounts.ts';
import { queuedMailEntity } from '../../shared/table/entities/deployment.ts';
import { invitationEntity, invitedEntity } from '../../shared/table/entities/instances.ts';
import type {
  InvitationData,
  InvitedData,
} from '../../shared/table/records/instances/invitations.ts';
import type { MailAbout } from '../../shared/table/records/mails.ts';
import { hasFullRole } from '../../shared/values/access.ts';
import { detailError, invalid } from '../../shared/values/errors/errors.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { ownerOfData } from '../../shared/values/keys/data-ids.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { invitationFields, invitationMailFields } from './fields.ts';

/** An invitation with its key, which is computed for each response. */
interface View {
  readonly data: InvitationData;
  /** Absent for callers who may not assign roles: with it they could raise their own. */
  readonly key: string | undefined;
}

const resource: ListOf<InvitationData, View, typeof invitationFields> = {
  name: 'Invitation',
  path: '/instances/{instance}/invitations/',
  item: 'id',
  access: { owner: allRights, full: allRights, write: 'LG', read: 'LG' },
  fields: invitationFields,
  links: [
    { name: 'self', type: 'detail', to: '' },
    { name: 'resend', type: 'resend', to: 'resend/' },
  ],
  record: recordAt(invitationEntity, ['instance', '{id}']),
  counter: () => deploymentCounter('invitation'),
  readItems: (context, range) =>
    rowsOf(context.platform.store, invitationEntity, [instanceOf(context)], range),
  view: (context, items) => Promise.all(items.map(({ data }) => viewOf(context, data))),
  show: showFields(invitationFields, (_, { key }) => ({ key })),
  segment: ({ data }) => String(data.id),
  create: invite,
  update: async (context, { current, input }) => {
    const changes = input.valid();
    const updated_at = timestamp(context.platform.clock.micros());
    const data: InvitationData = { ...current.data, ...changes, updated_at };
    await commit(context, [updateItem(current, data)]);
    return viewOf(context, data);
  },
  remove: async (context, current) => {
    const { store } = context.platform;
    const { email: to } = current.data;
    const one = invitedEntity.key(instanceOf(context), to);
    const account = await emailEntity.read(store, to);
    await commit(context, [
      deleteItem(current),
      deleteIfExists(one),
      ...pointerDeletes(current.data, account?.data.account),
    ]);
  },
  actions: [
    {
      path: 'resend/',
      name: 'Resend',
      operationName: { id: 'resendInvitation', summary: 'Resend an invitation' },
      fields: {},
      isSilent: true,
      run: async (context, { data }) => {
        if (data.state === 'new') await sendMail(context, aboutOf(context, data), data.email);
        return undefined;
      },
    },
  ],
};

async function viewOf(context: Context, data: InvitationData): Promise<View> {
  const { platform, actor } = context;
  const key = hasFullRole(actor)
    ? await invitationKey(platform.secrets, instanceOf(context), data)
    : undefined;
  return { data, key };
}

/**
 * Invites an e-mail address; an invitation that was declined or accepted before is replaced
 * (docs/reference/instances.md#invitations).
 */
async function invite(
  context: Context,
  input: Input<typeof invitationFields, 'create'>,
): Promise<View> {
  const draft = input.valid();
  const { platform } = context;
  const instance = ownerOfData(instanceOf(context));
  const now = timestamp(platform.clock.micros());
  const data: InvitationData = {
    id: reservedId(context),
    ...draft,
    inviter: callingAccount(context).data.email,
    state: 'new',
    created_at: now,
    updated_at: now,
    ...(await firstKey(platform)),
  };
  const about = aboutOf(context, data);
  let mail: readonly Write[] | undefined;
  await retryOnConflict(async () => {
    const pointer: InvitedData = { instance, invitation: data.id };
    const replaced = await replacing(context, data.email, pointer);
    mail ??= await planMail(context, about, data.email);
    await commit(context, [
      createItem(invitationEntity, invitationEntity.key(instance, data.id), data),
      ...replaced,
      ...mail,
    ]);
  });
  if (mail?.length === 0) await sendMailAfterwards(context, about, data.email);
  return viewOf(context, data);
}

/** Returns the writes of a new invitation for an e-mail without open invitation or membership. */
async function replacing(
  context: Context,
  to: string,
  pointer: InvitedData,
): Promise<readonly Write[]> {
  const { store } = context.platform;
  const key = invitedEntity.key(pointer.instance, to);
  const { invited, former } = await readTogether(store, {
    invited: emailEntity.at(to),
    former: invitedEntity.at(pointer.instance, to),
  });
  const invitedAccount = invited?.data.account;
  await refuseMember(context, invitedAccount);
  const shown =
    invitedAccount === undefined
      ? createItem(invitedEmailEntity, invitedEmailEntity.key(to, pointer.invitation), pointer)
      : createItem(
          invitedAccountEntity,
          invitedAccountEntity.key(invitedAccount, pointer.invitation),
          pointer,
        );
  if (former === undefined) return [shown, createItem(invitedEntity, key, pointer)];
  const invitation = await invitationEntity.read(store, pointer.instance, former.data.invitation);
  if (invitation?.data.state === 'new') {
    const text = 'Admin with specified Email already has an invitation created.';
    throw detailError(400, text, 'state_conflict');
  }
  return [
    shown,
    updateItem(former, pointer),
    ...(invitation === undefined ? [] : [deleteItem(invitation)]),
  ];
}

async function refuseMember(context: Context, account: number | undefined): Promise<void> {
  if (account === undefined) return;
  const member = await memberEntity.read(context.platform.store, account, instanceOf(context));
  if (member === undefined) return;
  const text = 'Admin with specified Email is already a part of this Instance.';
  throw invalid({ email: text }, 'state_conflict');
}

function aboutOf(context: Context, { id }: InvitationData): MailAbout {
  return { purpose: 'invite', instance: ownerOfData(instanceOf(context)), invitation: id };
}

const mailLoads = { invitation: recordAt(invitationEntity, ['instance', '{id}']) };

const mailRoute = endpointRoute({
  name: 'Invitation Mail',
  noun: 'invitation mail',
  operationNames: {
    GET: { id: 'getInvitationMail', summary: 'Get the state of the mail of an invitation' },
  },
  description: 'Whether the mail of an invitation was sent.',
  path: '/instances/{instance}/invitations/{id}/mail/',
  v1Path: null,
  access: { owner: 'G', full: 'G', write: 'G', read: 'G' },
  loads: mailLoads,
  response: { fields: invitationMailFields },
  operations: {
    GET: { right: 'G', run: async (context) => ({ status: 200, body: await mailState(context) }) },
  },
});

/** Returns the state of an open invitation's mail (docs/reference/instances.md#mail-of-an-invitation). */
async function mailState(context: Context<LoadedOf<typeof mailLoads>>): Promise<JsonObject> {
  const { platform, loaded } = context;
  if (loaded.invitation === undefined) throw notFound();
  const mail = await queuedMailEntity.read(
    platform.store,
    aboutOf(context, loaded.invitation.data),
  );
  const { state, error = null, updated_at } = mail?.data ?? {};
  if (state !== undefined) {
    return {
      state: state === 'sending' ? 'waiting' : state,
      error,
      updated_at: updated_at ?? null,
    };
  }
  const done = platform.mailer.delivery === 'log' ? 'logged' : 'sent';
  return { state: done, error: null, updated_at: null };
}

/** Invitations into an instance. */
export const invitationRoutes = [...listRoutes(resource), mailRoute];
