import type { ownInvitationFields } from '../../../functions/account/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { postSecret, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useList } from '../../core/load.ts';
import { notify } from '../../core/notices.ts';
import { Button } from '../../parts/button.tsx';
import { DraftForm } from '../../parts/draft-form.tsx';
import { nameInput, TextField } from '../../parts/form.tsx';
import { LoadedTable } from '../../parts/loaded-table.tsx';
import { actionsColumn } from '../../parts/table.tsx';

/** An open invitation to the account. */
type Invitation = ShownRecord<typeof ownInvitationFields>;

const list = at`account/invitations/`;

/** Accepts and declines the invitations to the account, and accepts one by its key. */
export function OpenInvitations() {
  const invitations = useList<Invitation>(list);
  const accept = async (key: string) => {
    await postSecret(below(list)`accept/`, { invitation_key: key.trim() });
    notify('You are now an admin of the instance.');
    invitations.reload();
  };
  const decline = async ({ id, instance }: Invitation) => {
    const text = `${instance} has to invite you again if you change your mind.`;
    if (!(await confirm({ title: 'Decline the invitation', text, verb: 'Decline' }))) return;
    await send({ method: 'DELETE', path: below(list)`${id}/` });
    invitations.reload();
  };
  const actions = (invitation: Invitation) => (
    <div class="actions">
      <Button class="small" onAct={() => accept(invitation.key)} text="Accept" />
      <Button class="small danger" onAct={() => decline(invitation)} text="Decline…" />
    </div>
  );
  return (
    <>
      <LoadedTable
        of={invitations}
        empty={null}
        caption="Invitations"
        keyOf={({ id }) => id}
        columns={[
          { name: 'Instance', cell: ({ instance }) => instance },
          { name: 'Role', cell: ({ role }) => role },
          { name: 'From', cell: ({ inviter }) => inviter },
          actionsColumn(actions),
        ]}
      />
      <DraftForm
        start={{ invitation_key: '' }}
        verb="Accept"
        onSend={({ invitation_key }) => accept(invitation_key)}
      >
        {({ text }) => (
          <TextField
            label="Invitation key"
            hint="From the mail or the link of an invitation, also to another address of yours."
            {...text('invitation_key')}
            input={nameInput}
          />
        )}
      </DraftForm>
    </>
  );
}
