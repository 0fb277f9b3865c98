import { useState } from 'preact/hooks';
import type { ownInvitationFields } from '../../../functions/account/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { confirm } from '../../core/confirm.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { currentLocation } from '../../core/router.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';

/** An open invitation to the account. */
type Invitation = ShownRecord<typeof ownInvitationFields>;

const list = at`account/invitations/`;

/** Accepts and declines the invitations to the account, and accepts one by its key. */
export function OpenInvitations() {
  const invitations = useLoad(() => readAll<Invitation>(list), []);
  const accept = async (key: string) => {
    const body = { invitation_key: key.trim() };
    await send({ method: 'POST', path: below(list)`accept/`, body });
    notify('You are a member now: see your instances.');
    invitations.reload();
  };
  const decline = async ({ id, instance }: Invitation) => {
    const text = `${instance} has to invite you again if you change your mind.`;
    if (!(await confirm({ title: 'Decline the invitation', text, verb: 'Decline' }))) return;
    await send({ method: 'DELETE', path: below(list)`${id}/` });
    invitations.reload();
  };
  return (
    <>
      <LoadedData of={invitations}>
        {(all) =>
          all.length > 0 && (
            <Table
              caption="Invitations"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Instance', cell: ({ instance }) => instance },
                { name: 'Role', cell: ({ role }) => role },
                { name: 'From', cell: ({ inviter }) => inviter },
                {
                  name: 'Actions',
                  isActions: true,
                  cell: (invitation) => (
                    <div class="actions">
                      <button
                        type="button"
                        class="small"
                        onClick={() => attempt(() => accept(invitation.key))}
                      >
                        Accept
                      </button>
                      <button
                        type="button"
                        class="small danger"
                        onClick={() => attempt(() => decline(invitation))}
                      >
                        Decline…
                      </button>
                    </div>
                  ),
                },
              ]}
            />
          )
        }
      </LoadedData>
      <ByKey onAccept={accept} />
    </>
  );
}

function ByKey({ onAccept }: { readonly onAccept: (key: string) => Promise<void> }) {
  const [key, setKey] = useState(currentLocation.peek().query.get('invitation') ?? '');
  return (
    <Form verb="Accept" onSend={() => onAccept(key)}>
      {(errors) => (
        <TextField
          label="Key of an invitation"
          hint="From the mail, also if it was sent to another address of yours."
          value={key}
          onValue={setKey}
          error={errors.invitation_key}
          input={{ required: true, autocomplete: 'off', spellcheck: false }}
        />
      )}
    </Form>
  );
}
