import { useState } from 'preact/hooks';
import type { invitationFields } from '../../../functions/instances/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';
import { useLoad } from '../../core/load.ts';
import { attempt, notify } from '../../core/notices.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { confirm } from '../../parts/dialog.tsx';
import { Form, SelectField, TextField } from '../../parts/form.tsx';
import { LoadedData } from '../../parts/loaded.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { roleTexts } from './role-choice.tsx';

/** An invitation to an instance; its key is shown to owner and `full` only. */
type Invitation = ShownRecord<typeof invitationFields>;

/** Invites accounts to an instance. */
export function Invitations({ instance }: { readonly instance: string }) {
  const list = at`instances/${instance}/invitations/`;
  const invitations = useLoad(() => readAll<Invitation>(list), [list]);
  const resend = async ({ id, email }: Invitation) => {
    await send({ method: 'POST', path: below(list)`${id}/resend/` });
    notify(`Another mail is sent to ${email}.`);
  };
  const remove = async ({ id, email }: Invitation) => {
    const text = 'Its key ends at once.';
    const title = `Delete the invitation of ${email}`;
    if (!(await confirm({ title, text, verb: 'Delete' }))) return;
    await send({ method: 'DELETE', path: below(list)`${id}/` });
    invitations.reload();
  };
  return (
    <>
      <h2>Invitations</h2>
      <LoadedData of={invitations}>
        {(all) =>
          all.length > 0 && (
            <Table
              caption="Invitations"
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                { name: 'E-mail', cell: ({ email }) => email },
                { name: 'Role', cell: ({ role }) => role },
                { name: 'State', cell: ({ state }) => state },
                { name: 'Sent', cell: ({ created_at }) => <Time value={created_at} /> },
                {
                  name: 'Actions',
                  isActions: true,
                  cell: (invitation) => (
                    <div class="actions">
                      {invitation.state === 'new' && invitation.key && (
                        <CopyButton text={() => invitation.key ?? ''} label="Copy the key" />
                      )}
                      {invitation.state === 'new' && (
                        <button
                          type="button"
                          class="small"
                          onClick={() => attempt(() => resend(invitation))}
                        >
                          Send again
                        </button>
                      )}
                      <button
                        type="button"
                        class="small danger"
                        onClick={() => attempt(() => remove(invitation))}
                      >
                        Delete…
                      </button>
                    </div>
                  ),
                },
              ]}
            />
          )
        }
      </LoadedData>
      <section class="card narrow">
        <h3>Invite an account</h3>
        <NewInvitation list={list} onSent={invitations.reload} />
      </section>
    </>
  );
}

interface NewInvitationProps {
  readonly list: RequestPath;
  readonly onSent: () => void;
}

function NewInvitation({ list, onSent }: NewInvitationProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('write');
  const invite = async () => {
    await send({ method: 'POST', path: list, body: { email, role } });
    setEmail('');
    notify(`${email} is invited by mail.`);
    onSent();
  };
  return (
    <Form verb="Invite" onSend={invite}>
      {(errors) => (
        <>
          <TextField
            label="E-mail"
            value={email}
            onValue={setEmail}
            error={errors.email}
            input={{ type: 'email', required: true, autocomplete: 'off' }}
          />
          <SelectField
            label="Role"
            value={role}
            onValue={setRole}
            error={errors.role}
            options={roleTexts}
          />
        </>
      )}
    </Form>
  );
}
